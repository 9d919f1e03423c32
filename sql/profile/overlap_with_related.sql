-- name: overlap_with_related
-- version: 1
-- grain: statistic
-- params: other VARCHAR
-- reads: reference, membership
-- returns: statistic, value
-- order: position
--
-- What the captions at work share with the newest version of another dataset: image ids, captions that the other has for
-- the same image, and texts that it has anywhere.
with theirs as (
    select image, caption_id
    from membership
    where dataset = $other::varchar and to_seq is null
),
counted as (
    select
        count(distinct r.image) filter (where r.image in (select image from theirs)) as images,
        count(*) filter (where (r.image, r.caption_id) in (select (image, caption_id) from theirs)) as captions,
        count(*) filter (where r.caption_id in (select caption_id from theirs)) as texts
    from reference as r
),
listed as (
    select unnest([
        {'position': 1, 'statistic': concat('images-also-in-', $other::varchar), 'value': images},
        {'position': 2, 'statistic': concat('captions-of-the-same-image-in-', $other::varchar), 'value': captions},
        {'position': 3, 'statistic': concat('captions-with-a-text-of-', $other::varchar), 'value': texts}
    ], recursive := true)
    from counted
)
select statistic, value::double as value
from listed
order by position
