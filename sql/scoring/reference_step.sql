-- name: reference_step
-- version: 1
-- grain: candidate, reference
-- params: first_image UINTEGER, last_image UINTEGER
-- reads: candidate, reference_place
-- returns: candidate_no, slot, caption_id, length, step
-- order: c.candidate_no, r.slot
--
-- The number of references at which each reference of a candidate joins the others: its place in the order of the draw,
-- where the held-out caption's own place counts for nothing.
select
    c.candidate_no,
    r.slot,
    r.caption_id,
    r.length,
    (r.place - coalesce(r.place > o.place, false)::utinyint)::uinteger as step
from candidate as c
join reference_place as r on r.image_no = c.image_no and r.slot is distinct from c.held_out
left join reference_place as o on o.image_no = c.image_no and o.slot = c.held_out
where c.image_no between $first_image::uinteger and $last_image::uinteger
order by c.candidate_no, r.slot
