-- name: reach
-- version: 1
-- grain: image
-- reads: weighed
-- returns: image, images
--
-- Against how many other images the captions of an image are weighed.
select image, count(distinct candidate_image) as images
from weighed
where place = 'other' and not is_decoy
group by image
