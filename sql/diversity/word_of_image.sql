-- name: word_of_image
-- version: 1
-- grain: image, token
-- params: tokenizer VARCHAR
-- reads: reference, caption_tokens
-- returns: image, token_id, occurrences
--
-- The tokens in the captions of each image, with their frequencies.
with position as (
    select r.image, unnest(t.tokens) as token_id
    from reference as r
    join caption_tokens as t on t.caption_id = r.caption_id and t.tokenizer = $tokenizer::varchar
)
select image, token_id, count(*) as occurrences
from position
group by image, token_id
