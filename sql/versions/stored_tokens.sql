-- name: stored_tokens
-- version: 1
-- grain: caption text
-- params: profile VARCHAR
-- reads: caption, caption_tokens, vocabulary
-- returns: caption_id, text, tokens
--
-- Every text with its stored tokens, spelled out.
with position as (
    select caption_id, generate_subscripts(tokens, 1) as place, unnest(tokens) as token_id
    from caption_tokens
    where profile = $profile::varchar
),
spelled as (
    select p.caption_id, list(v.token order by p.place) as tokens
    from position as p
    join vocabulary as v using (token_id)
    group by p.caption_id
)
select c.caption_id, c.text, coalesce(s.tokens, []) as tokens
from caption as c
left join spelled as s using (caption_id)
order by c.caption_id
