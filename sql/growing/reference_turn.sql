-- name: reference_turn
-- version: 1
-- grain: candidate, reference
-- reads: image_text, reference, caption_place
-- returns: candidate_no, text_no, turn
--
-- From which number of references on, in the order of the draw, each reference is one of a candidate. The order skips
-- the held-out caption.
with placed as (
    select t.text_no, t.image_no, p.place
    from image_text as t
    join reference as r on r.image_no = t.image_no and r.slot = t.slot
    join caption_place as p on p.image = r.image and p.slot = r.slot
)
select c.candidate_no, r.text_no, (r.place - coalesce(r.place > o.place, false)::int)::uinteger as turn
from image_text as c
join placed as r on r.image_no = c.image_no and r.text_no is distinct from c.left_out
left join placed as o on o.text_no = c.left_out
where c.candidate_no is not null
