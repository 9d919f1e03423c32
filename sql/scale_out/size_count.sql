-- name: size_count
-- version: 1
-- grain: statistic, split, number of captions of an image
-- reads: reference, length
-- returns: statistic, part, place, number
--
-- Counts of a bucket that add up: its images by split (`part`) and number of captions (`place`), its captions without a
-- split, its images with a word and with several captions that have one, and the captions of the latter.
with image as (
    select image_no, min(split) as split, count(*) as captions
    from reference
    group by image_no
),
worded as (
    select image_no, count(*) filter (where tokens > 0) as captions
    from length
    group by image_no
)
select 'image' as statistic, split as part, captions as place, count(*) as number
from image
group by split, captions
union all
select 'unsplit', null, 0, count(*) filter (where split is null) from reference
union all
select 'images-worded', null, 0, count(*) filter (where captions > 0) from worded
union all
select 'images-several-worded', null, 0, count(*) filter (where captions > 1) from worded
union all
select 'captions-several-worded', null, 0, coalesce(sum(captions) filter (where captions > 1), 0)::bigint from worded
