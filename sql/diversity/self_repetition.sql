-- name: self_repetition
-- version: 1
-- grain: list, number of repetitions
-- params: tokenizer VARCHAR
-- reads: list_caption, caption_tokens
-- returns: list_no, repetitions, captions
-- order: all
-- cites: Salkar et al. 2022, section 3; Shaib et al. 2024
--
-- For each caption, how often its different 4-grams occur in other captions of its list (each caption counted once).
-- Rows are grouped by that number, since only its logarithm is needed.
with side_by_side as (
    select
        l.list_no, l.place,
        unnest(t.tokens)::uhugeint as a, unnest(t.tokens[2:])::uhugeint as b, unnest(t.tokens[3:])::uhugeint as c,
        unnest(t.tokens[4:])::uhugeint as d
    from list_caption as l
    join caption_tokens as t on t.caption_id = l.caption_id and t.tokenizer = $tokenizer::varchar
    where len(t.tokens) >= 4
),
used_gram as (select distinct list_no, place, pack(a, b, c, d) as gram from side_by_side where d is not null),
spread as (select list_no, gram, count(*) - 1 as others from used_gram group by list_no, gram),
repeating as (
    select s.list_no, s.place, sum(w.others)::bigint as repetitions
    from used_gram as s
    join spread as w on w.list_no = s.list_no and w.gram = s.gram
    group by s.list_no, s.place
)
select l.list_no, coalesce(r.repetitions, 0) as repetitions, count(*) as captions
from list_caption as l
left join repeating as r on r.list_no = l.list_no and r.place = l.place
group by all
order by all
