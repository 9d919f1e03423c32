-- name: reference_tokens
-- version: 2
-- grain: reference
-- params: first_image UINTEGER, last_image UINTEGER
-- reads: reference, bucket_text
-- returns: image_no, slot, caption_id, tokens
-- order: r.image_no, r.slot
--
-- The tokens of each reference in one bucket of images, for kernels that align.
select r.image_no, r.slot, r.caption_id, t.tokens
from reference as r
join bucket_text as t using (caption_id)
where r.image_no between $first_image::uinteger and $last_image::uinteger
order by r.image_no, r.slot
