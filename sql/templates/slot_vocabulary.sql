-- name: slot_vocabulary
-- version: 1
-- grain: slot
-- reads: reference, text_tokens
-- returns: slot, captions, tokens, types
-- order: r.slot
--
-- The number of captions of each slot, with their tokens and different tokens.
with spoken as (
    select r.slot, unnest(t.tokens) as token_id
    from reference as r
    join text_tokens as t using (caption_id)
),
vocabulary_of as (select slot, count(distinct token_id)::bigint as types from spoken group by slot)
select r.slot, count(*)::bigint as captions, sum(r.length)::bigint as tokens, any_value(coalesce(v.types, 0)) as types
from reference as r
left join vocabulary_of as v using (slot)
group by r.slot
order by r.slot
