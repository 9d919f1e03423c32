-- name: ter
-- version: 1
-- grain: candidate
-- params: first_image UINTEGER, last_image UINTEGER
-- reads: candidate, chosen
-- returns: candidate, image, slot, image_no, held_out, tokens
-- cites: Snover et al. 2006, section 3: shifts and edits are the kernel's
--
-- The tokens of each candidate, to be brought to those of the captions of its image.
select c.candidate, c.image, c.slot, c.image_no, c.held_out, t.tokens
from candidate as c
join chosen as t using (caption_id)
where c.image_no between $first_image::uinteger and $last_image::uinteger
order by c.candidate, c.image, c.slot
