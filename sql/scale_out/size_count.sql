-- name: size_count
-- version: 1
-- grain: statistic, split, number of captions of an image
-- reads: reference
-- returns: statistic, part, place, number
--
-- Counts of a bucket that add up: its images by split (`part`) and number of captions (`place`), and its captions without
-- a split.
with image as (
    select image_no, min(split) as split, count(*) as captions
    from reference
    group by image_no
)
select 'image' as statistic, split as part, captions as place, count(*) as number
from image
group by split, captions
union all
select 'unsplit', null, 0, count(*) filter (where split is null) from reference
