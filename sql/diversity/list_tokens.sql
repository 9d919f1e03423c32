-- name: list_tokens
-- version: 1
-- grain: caption
-- params: tokenizer VARCHAR
-- reads: list_caption, caption_tokens
-- returns: list_no, place, image, tokens
-- order: l.list_no, l.place
--
-- The tokens of the captions of each list, in order of image and slot.
select l.list_no, l.place, l.image, t.tokens
from list_caption as l
join caption_tokens as t on t.caption_id = l.caption_id and t.tokenizer = $tokenizer::varchar
order by l.list_no, l.place
