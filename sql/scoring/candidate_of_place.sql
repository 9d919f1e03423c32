-- name: candidate_of_place
-- version: 1
-- grain: held-out caption
-- params: drawn INTEGER, first_place INTEGER, last_place INTEGER
-- reads: reference, caption_place
-- returns: candidate, is_substitute, image_no, image, slot, held_out, caption_id, length, from_dataset, from_image, from_slot
--
-- The captions of each image at certain positions in the order of the draw, each against the first of the others. A
-- caption that is not one of the drawn references replaces the last of these. The first references of the draw remain,
-- as many as every other caption is scored against.
with last_place as (
    select r.image_no, r.image, r.slot
    from reference as r
    join caption_place as p using (image, slot)
    where p.place = $drawn::integer
)
select
    'human' as candidate,
    p.place > $drawn::integer as is_substitute,
    l.image_no, l.image, p.slot,
    case when p.place > $drawn::integer then l.slot else p.slot end as held_out,
    p.caption_id, p.length, null::varchar as from_dataset, null::varchar as from_image, null::uinteger as from_slot
from caption_place as p
join last_place as l using (image)
where p.place between $first_place::integer and $last_place::integer
