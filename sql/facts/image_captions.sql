-- name: image_captions
-- version: 1
-- grain: image
-- reads: reference
-- returns: image_no, image, captions, usual, splits
-- order: image_no
--
-- How many captions an image has, how many most images of its split have (that a split has another number is no fault),
-- and in how many splits it is. An image in several splits counts with the first by name.
with per_image as (
    select
        image_no, any_value(image) as image, min(split) as split, count(*)::uinteger as captions,
        count(distinct split)::uinteger as splits
    from reference
    group by image_no
)
select image_no, image, captions, mode(captions) over (partition by split) as usual, splits
from per_image
order by image_no
