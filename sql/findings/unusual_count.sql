-- name: unusual_count
-- version: 2
-- grain: image
-- reads: reference
-- returns: image, captions, usual
-- order: image
--
-- Images with fewer captions than most of their split have, or more: that a split has another number is no fault.
with per_image as (
    select image, any_value(split) as split, count(*)::uinteger as captions
    from reference
    group by image
),
counted as (select image, captions, mode(captions) over (partition by split) as usual from per_image)
select image, captions, usual
from counted
where captions <> usual
order by image
