-- name: reference_word
-- version: 1
-- grain: token
-- params: tokenizer VARCHAR
-- reads: reference, caption_tokens, vocabulary
-- returns: image, slot, position, token_id, token
--
-- The words of the selected captions, each with its position, from 1.
with position as (
    select r.image, r.slot, unnest(t.tokens) as token_id, unnest(range(1, len(t.tokens) + 1)) as position
    from reference as r
    join caption_tokens as t on t.caption_id = r.caption_id and t.tokenizer = $tokenizer::varchar
)
select p.image, p.slot, p.position, p.token_id, v.token
from position as p
join vocabulary as v using (token_id)
