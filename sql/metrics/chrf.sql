-- name: chrf
-- version: 1
-- grain: candidate
-- params: first_image UINTEGER, last_image UINTEGER
-- reads: candidate, chosen
-- returns: candidate, image, slot, image_no, held_out, tokens
-- cites: Popović 2015, section 2: n-grams of characters are spelt and matched by the kernel
--
-- The tokens of each candidate. As rows, their n-grams of characters would be twenty times as many as those of words.
select c.candidate, c.image, c.slot, c.image_no, c.held_out, t.tokens
from candidate as c
join chosen as t using (caption_id)
where c.image_no between $first_image::uinteger and $last_image::uinteger
order by c.candidate, c.image, c.slot
