-- name: reference_order
-- version: 1
-- grain: candidate
-- params: first_image UINTEGER, last_image UINTEGER
-- reads: candidate, reference_step
-- returns: candidate, image, slot, steps
-- order: c.candidate, c.image, c.slot
--
-- For each reference of a candidate, in the order of their slots, the number of references at which it joins the others:
-- which of the counts that stand reference by reference are those of the first k.
select c.candidate, c.image, c.slot, list(s.step order by s.slot) as steps
from candidate as c
join reference_step as s using (candidate_no)
where c.image_no between $first_image::uinteger and $last_image::uinteger
group by c.candidate, c.image, c.slot
order by c.candidate, c.image, c.slot
