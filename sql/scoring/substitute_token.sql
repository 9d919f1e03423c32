-- name: substitute_token
-- version: 1
-- grain: token
-- params: tokenizer VARCHAR
-- reads: substitute_pool, caption_tokens
-- returns: token_id, occurrences
--
-- The vocabulary of the captions or sentences that substitutes are drawn from, with frequencies.
with position as (
    select unnest(t.tokens) as token_id
    from substitute_pool as s
    join caption_tokens as t on t.caption_id = s.caption_id and t.tokenizer = $tokenizer::varchar
)
select token_id, count(*) as occurrences
from position
group by token_id
