-- name: change
-- version: 2
-- grain: slot, kind of change
-- reads: content_of_side
-- returns: change, image, slot, old_text, new_text, old_split, new_split
-- order: image, slot, change
--
-- The changed slots of an image from one content to another. A slot can be edited and moved at once.
with paired as (
    select
        coalesce(a.image, b.image) as image,
        coalesce(a.slot, b.slot) as slot,
        a.text as old_text, b.text as new_text, a.split as old_split, b.split as new_split, a.votes as old_votes,
        b.votes as new_votes,
        a.image is not null as was,
        b.image is not null as is_now
    from (from content_of_side where side = 'a') as a
    full join (from content_of_side where side = 'b') as b on b.image = a.image and b.slot = a.slot
),
classified as (
    select
        unnest([
            case when not was then 'added' end,
            case when not is_now then 'removed' end,
            case when was and is_now and old_text <> new_text then 'edited' end,
            case when was and is_now and old_split is distinct from new_split then 'moved to another split' end,
            case when was and is_now and old_votes is distinct from new_votes then 'rated otherwise' end
        ]) as change,
        image, slot, old_text, new_text, old_split, new_split
    from paired
)
select change, image, slot, old_text, new_text, old_split, new_split
from classified
where change is not null
order by image, slot, change
