-- name: token_count
-- version: 1
-- grain: token
-- params: tokenizer VARCHAR
-- reads: reference, caption_tokens
-- returns: token_id, occurrences, captions
--
-- The vocabulary of the selected captions, with frequencies.
with position as (
    select r.image_no, r.slot, unnest(t.tokens) as token_id
    from reference as r
    join caption_tokens as t on t.caption_id = r.caption_id and t.tokenizer = $tokenizer::varchar
)
select token_id, count(*) as occurrences, count(distinct (image_no, slot)) as captions
from position
group by token_id
