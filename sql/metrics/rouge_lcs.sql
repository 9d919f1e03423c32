-- name: rouge_lcs
-- version: 1
-- grain: candidate
-- params: first_image UINTEGER, last_image UINTEGER
-- reads: candidate, chosen
-- returns: candidate, image, slot, image_no, held_out, tokens
-- cites: Lin 2004, section 3 and 4
--
-- The tokens of each candidate, for the kernel that finds longest common subsequences.
select c.candidate, c.image, c.slot, c.image_no, c.held_out, t.tokens
from candidate as c
join chosen as t using (caption_id)
where c.image_no between $first_image::uinteger and $last_image::uinteger
order by c.candidate, c.image, c.slot
