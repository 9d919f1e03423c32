-- name: content_tokens
-- version: 1
-- grain: caption
-- params: tokenizer VARCHAR
-- reads: content_as_of, caption, caption_tokens, vocabulary
-- returns: image, slot, split, text, votes
--
-- The captions of a version as tokens joined by spaces: equal if only what the tokenizer ignores (case) differs.
with placed as (
    select c.image, c.slot, c.split, t.caption_id, c.votes
    from content_as_of as c
    join caption as t using (text)
),
position as (
    select caption_id, generate_subscripts(tokens, 1) as place, unnest(tokens) as token_id
    from caption_tokens
    where tokenizer = $tokenizer::varchar and caption_id in (select caption_id from placed)
),
spelled as (
    select p.caption_id, string_agg(v.token, ' ' order by p.place) as text
    from position as p
    join vocabulary as v using (token_id)
    group by p.caption_id
)
select p.image, p.slot, p.split, coalesce(s.text, '') as text, p.votes
from placed as p
left join spelled as s using (caption_id)
