-- name: missing_image
-- version: 1
-- grain: selection
-- reads: reference, evaluated_image
-- returns: images, missing
--
-- How many images the evaluation data has, and for how many of them there is no caption.
with described as (select distinct image from reference)
select count(*) as images, count(*) filter (where d.image is null) as missing
from evaluated_image as e
left join described as d on d.image = e.image
