-- name: stored_tokens
-- version: 2
-- grain: caption text
-- params: tokenizer VARCHAR, first_caption UINTEGER, last_caption UINTEGER
-- reads: caption, caption_tokens, vocabulary
-- returns: caption_id, text, tokens
-- order: h.caption_id
--
-- The texts in a range of numbers that have tokens of a tokenizer, with these tokens spelled out.
with held as (
    select caption_id, tokens
    from caption_tokens
    where tokenizer = $tokenizer::varchar and caption_id between $first_caption::uinteger and $last_caption::uinteger
),
position as (select caption_id, generate_subscripts(tokens, 1) as place, unnest(tokens) as token_id from held),
spelled as (
    select p.caption_id, list(v.token order by p.place) as tokens
    from position as p
    join vocabulary as v using (token_id)
    group by p.caption_id
)
select h.caption_id, c.text, coalesce(s.tokens, []) as tokens
from held as h
join caption as c using (caption_id)
left join spelled as s using (caption_id)
order by h.caption_id
