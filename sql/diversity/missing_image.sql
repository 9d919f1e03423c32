-- name: missing_image
-- version: 1
-- grain: selection
-- reads: reference, evaluated_image
-- returns: images, missing
--
-- The number of images of the evaluation data, and of those without a caption.
with described as (select distinct image from reference)
select count(*) as images, count(*) filter (where d.image is null) as missing
from evaluated_image as e
left join described as d on d.image = e.image
