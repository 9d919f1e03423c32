-- name: bucket_text
-- version: 2
-- grain: caption text
-- params: first_image UINTEGER, last_image UINTEGER
-- reads: reference, candidate, text_tokens
-- returns: caption_id, tokens
--
-- The selected texts in one bucket of images, each once: references, and candidates that are not references.
with selected as (
    select caption_id from reference where image_no between $first_image::uinteger and $last_image::uinteger
    union
    select caption_id from candidate where image_no between $first_image::uinteger and $last_image::uinteger
)
select t.caption_id, t.tokens
from text_tokens as t
semi join selected as w on w.caption_id = t.caption_id
