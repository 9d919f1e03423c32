-- name: staged_caption
-- version: 1
-- grain: caption
-- reads: reference, text_tokens, caption
-- returns: image_no, image, slot, split, caption_id, text, tokens
-- order: r.image_no, r.slot
--
-- The captions of a selection with their tokens, read once in order of images: a bucket reads a range of adjacent rows.
select r.image_no, r.image, r.slot, r.split, r.caption_id, c.text, t.tokens
from reference as r
join text_tokens as t using (caption_id)
join caption as c using (caption_id)
order by r.image_no, r.slot
