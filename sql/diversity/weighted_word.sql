-- name: weighted_word
-- version: 1
-- grain: token
-- params: tokenizer VARCHAR
-- reads: reference, annotated, caption_tokens
-- returns: token_id, occurrences
--
-- The tokens of a word list, with the counts in the list; 1 for a word without a count.
with counted as (
    select unnest(t.tokens) as token_id, coalesce(a.occurrences, 1) as occurrences
    from reference as r
    join caption_tokens as t on t.caption_id = r.caption_id and t.tokenizer = $tokenizer::varchar
    left join annotated as a on a.image = r.image and a.slot = r.slot
)
select token_id, sum(occurrences)::bigint as occurrences
from counted
group by token_id
