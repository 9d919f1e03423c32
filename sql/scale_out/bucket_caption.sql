-- name: bucket_caption
-- version: 1
-- grain: caption
-- params: first_image UINTEGER, last_image UINTEGER
-- reads: staged_caption
-- returns: image, slot, split, caption_id, text, tokens
-- order: image_no, slot
--
-- The captions of one bucket of images.
select image, slot, split, caption_id, text, tokens
from staged_caption
where image_no between $first_image::uinteger and $last_image::uinteger
order by image_no, slot
