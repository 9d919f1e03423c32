-- name: image_captions
-- version: 2
-- grain: image
-- reads: reference, image_size_count
-- returns: image_no, image, captions, usual, splits
-- order: i.image_no
-- merges: rows
--
-- The number of captions of each image, the most frequent number in its split (`usual`; the smallest of equally
-- frequent ones), and the number of its splits. An image in several splits counts for the first by name.
with usual as (
    select split, first(captions order by images desc, captions) as captions from image_size_count group by split
),
per_image as (
    select
        image_no, any_value(image) as image, min(split) as split, count(*)::uinteger as captions,
        count(distinct split)::uinteger as splits
    from reference
    group by image_no
)
select i.image_no, i.image, i.captions, u.captions as usual, i.splits
from per_image as i
join usual as u on u.split is not distinct from i.split
order by i.image_no
