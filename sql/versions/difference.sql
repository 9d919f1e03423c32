-- name: difference
-- version: 1
-- grain: change
-- reads: content_a, content_b
-- returns: change, images, captions
--
-- What changed from one content to another, by kind of change. A place is (image, slot).
with paired as (
    select
        coalesce(a.image, b.image) as image,
        a.text as old_text,
        b.text as new_text,
        a.split as old_split,
        b.split as new_split,
        a.image is not null as was,
        b.image is not null as is_now
    from content_a as a
    full join content_b as b on b.image = a.image and b.slot = a.slot
),
classified as (
    select
        image,
        unnest(list_filter([
            case when not was then 'added' end,
            case when not is_now then 'removed' end,
            case when was and is_now and old_text <> new_text then 'edited' end,
            case when was and is_now and old_split is distinct from new_split then 'moved to another split' end,
            case when was and is_now and old_text = new_text and old_split is not distinct from new_split then 'unchanged' end
        ], lambda kind: kind is not null)) as change
    from paired
),
kind (position, change) as (
    values (1, 'added'), (2, 'removed'), (3, 'edited'), (4, 'moved to another split'), (5, 'unchanged')
)
select k.change, count(distinct c.image)::integer as images, count(c.image)::integer as captions
from kind as k
left join classified as c using (change)
group by k.position, k.change
order by k.position
