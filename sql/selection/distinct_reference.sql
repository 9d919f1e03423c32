-- name: distinct_reference
-- version: 1
-- grain: caption
-- params: tokenizer VARCHAR
-- reads: every_reference, caption_tokens
-- returns: image_no, image, slot, split, caption_id, length
-- order: r.image, r.slot
--
-- The captions of each image without repeats, compared token for token: of equal captions, the one in the first slot
-- stays. Every image keeps a caption, and captions keep their slots, so they can be joined with the others.
select r.image_no, r.image, r.slot, r.split, r.caption_id, r.length
from every_reference as r
join caption_tokens as t on t.caption_id = r.caption_id and t.tokenizer = $tokenizer::varchar
qualify row_number() over (partition by r.image, t.tokens order by r.slot) = 1
order by r.image, r.slot
