-- name: contaminated
-- version: 1
-- grain: caption
-- reads: reference, text_tokens, vocabulary, protected_caption
-- returns: image, slot, why
-- order: r.image, r.slot
-- merges: rows
--
-- Captions that have the tokens of a protected caption, or share 13 or 8 successive tokens with one. Each is listed once:
-- with the whole caption, else with the first passage of 13 tokens, else of 8, and the first protected caption that has
-- it. A caption without a token equals no other. A token that the captions do not have is null.
with size as (select unnest([13, 8]) as n),
numbered as (select row_number() over (order by place) as protected_no, * from protected_caption where len(words) > 0),
protected as (
    select w.protected_no, list(v.token_id order by w.nth) as tokens
    from (select protected_no, unnest(words) as token, generate_subscripts(words, 1) as nth from numbered) as w
    left join vocabulary as v using (token)
    group by w.protected_no
),
known as (
    select n, tokens[first:first + n - 1] as passage, min(protected_no) as protected_no
    from (select n, protected_no, tokens, unnest(range(1, len(tokens) - n + 2)) as first from protected cross join size)
    group by all
    union all
    select 0, tokens, min(protected_no) from protected group by tokens
),
own as (
    select caption_id, n, first, tokens[first:first + n - 1] as passage
    from (select n, caption_id, tokens, unnest(range(1, len(tokens) - n + 2)) as first from text_tokens cross join size)
    union all
    select caption_id, 0, 1, tokens from text_tokens where len(tokens) > 0
),
shared as (
    select o.caption_id, o.n, o.passage, k.protected_no
    from own as o
    join known as k using (n, passage)
    qualify row_number() over (partition by o.caption_id order by o.n = 0 desc, o.n desc, o.first) = 1
),
spelled as (
    select s.caption_id, s.n, s.protected_no, string_agg(v.token, ' ' order by u.nth) as passage
    from shared as s, unnest(s.passage) with ordinality as u (token_id, nth)
    join vocabulary as v on v.token_id = u.token_id
    group by s.caption_id, s.n, s.protected_no
)
select
    r.image, r.slot,
    if(s.n = 0, 'all', s.n::varchar) || format(' words of {}, “{}”: “{}”', p.place, p.text, s.passage) as why
from spelled as s
join numbered as p using (protected_no)
join reference as r using (caption_id)
order by r.image, r.slot
