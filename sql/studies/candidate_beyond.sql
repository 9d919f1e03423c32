-- name: candidate_beyond
-- version: 1
-- grain: held-out caption
-- params: drawn INTEGER, most INTEGER
-- reads: reference, caption_place
-- returns: candidate, stands_in, image_no, image, slot, held_out, caption_id, length, from_dataset, from_image, from_slot
--
-- Each of the first `most` + 1 captions of an image, against the first of the others in the order of the draw. Where
-- fewer are at work as references and the caption is none of them, it stands in for the last of these: what is left are
-- the first references of the draw, as many as every other caption meets.
with placed as (
    select r.image_no, r.image, r.slot, p.place
    from reference as r
    join caption_place as p using (image, slot)
),
last_place as (
    select image_no, image, slot
    from placed
    where place = $drawn::integer
)
select
    'human' as candidate,
    p.place > $drawn::integer as stands_in,
    l.image_no,
    l.image,
    p.slot,
    case when p.place > $drawn::integer then l.slot else p.slot end as held_out,
    p.caption_id,
    p.length,
    null::varchar as from_dataset, null::varchar as from_image, null::uinteger as from_slot
from caption_place as p
join last_place as l using (image)
where p.place <= $most::integer + 1
