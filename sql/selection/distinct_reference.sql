-- name: distinct_reference
-- version: 1
-- grain: caption
-- params: tokenizer VARCHAR
-- reads: every_reference, caption_tokens
-- returns: image_no, image, slot, split, caption_id, length
-- order: r.image, r.slot
--
-- The captions of each image that repeat no other of it, token for token: of those that are the same, that of the first
-- slot stays. Every image keeps a caption, and captions their slots, so that they are found again beside the others.
select r.image_no, r.image, r.slot, r.split, r.caption_id, r.length
from every_reference as r
join caption_tokens as t on t.caption_id = r.caption_id and t.tokenizer = $tokenizer::varchar
qualify row_number() over (partition by r.image, t.tokens order by r.slot) = 1
order by r.image, r.slot
