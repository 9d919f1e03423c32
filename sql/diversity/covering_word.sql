-- name: covering_word
-- version: 1
-- grain: list, token
-- params: tokenizer VARCHAR, all_images BOOLEAN
-- reads: list_caption, evaluated_image, caption_tokens
-- returns: list_no, token_id
--
-- The words of each list: of the images that people's captions describe too, or of all.
with shared as (
    select list_no, caption_id
    from list_caption
    where $all_images::boolean or image in (select image from evaluated_image)
)
select distinct s.list_no, unnest(t.tokens) as token_id
from shared as s
join caption_tokens as t on t.caption_id = s.caption_id and t.tokenizer = $tokenizer::varchar
