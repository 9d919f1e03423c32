-- name: meteor_reference
-- version: 1
-- grain: reference
-- params: first_image UINTEGER, last_image UINTEGER
-- reads: reference
-- returns: image_no, slot, caption_id
-- order: image_no, slot
--
-- The references in one bucket of images. Their texts are in relation bucket_text, each once: what METEOR looks up for
-- a text does not depend on its role or image.
select image_no, slot, caption_id
from reference
where image_no between $first_image::uinteger and $last_image::uinteger
order by image_no, slot
