-- name: reach
-- version: 1
-- grain: image
-- reads: image_log_likelihood
-- returns: image, images
--
-- The number of other images with which the captions of an image are compared.
select image, count(distinct candidate_image) as images
from image_log_likelihood
where place = 'other' and not is_decoy
group by image
