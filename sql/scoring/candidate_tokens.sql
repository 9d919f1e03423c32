-- name: candidate_tokens
-- version: 2
-- grain: candidate
-- params: first_image UINTEGER, last_image UINTEGER
-- reads: candidate, bucket_text
-- returns: candidate, image, slot, image_no, held_out, caption_id, tokens
-- order: c.candidate_no
--
-- The tokens of each candidate, for kernels that align them with those of its references: longest common subsequences,
-- shifts and edits, n-grams of characters (as rows, these would be twenty times as many as those of words).
select c.candidate, c.image, c.slot, c.image_no, c.held_out, c.caption_id, t.tokens
from candidate as c
join bucket_text as t using (caption_id)
where c.image_no between $first_image::uinteger and $last_image::uinteger
order by c.candidate_no
