-- name: image_captions
-- version: 2
-- grain: image
-- reads: reference
-- returns: image_no, image, captions, usual, splits
-- order: image_no
--
-- The number of captions of each image, the most frequent number in its split (`usual`; the smallest of equally
-- frequent ones), and the number of its splits. Splits may have different usual numbers. An image in several splits
-- counts for the first by name.
with per_image as (
    select
        image_no, any_value(image) as image, min(split) as split, count(*)::uinteger as captions,
        count(distinct split)::uinteger as splits
    from reference
    group by image_no
),
counted as (
    select
        image_no, image, split, captions, splits, count(*) over (partition by split, captions) as images
    from per_image
)
select
    image_no, image, captions,
    first_value(captions) over (partition by split order by images desc, captions) as usual,
    splits
from counted
order by image_no
