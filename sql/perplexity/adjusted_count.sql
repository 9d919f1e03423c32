-- name: adjusted_count
-- version: 2
-- grain: n-gram
-- params: trained_no UINTEGER, order INTEGER, modified BOOLEAN
-- reads: sentence_ngram
-- returns: n, gram, history, adjusted
-- cites: Kneser & Ney 1995; Chen & Goodman 1999, sections 2.7 and 3; Heafield et al. 2013 for the beginning
--
-- The count of an n-gram in a model: for the highest order its occurrences, for lower orders the number of different
-- tokens before it, including <s>. A `modified` model counts like KenLM and SRILM: a caption begins with one <s>, with
-- nothing before it, so an n-gram that begins with <s> has its occurrences at every order. The other model has n - 1
-- times <s>. <s> is 0: an n-gram begins with it if its number equals that of its last n - 1 tokens.
with suffix as (
    select o.n, last_tokens(t.gram, o.n) as gram, sum(t.occurrences)::bigint as occurrences
    from sentence_ngram as t
    cross join (select unnest(range(1, $order::integer + 1))::integer as n) as o
    where t.selection_no = $trained_no::uinteger and t.side = 'train'
    group by all
),
preceded as (
    select n - 1 as n, last_tokens(gram, n - 1) as gram, count(*) as tokens
    from suffix
    where n > 1
    group by all
)
select
    s.n, s.gram,
    history_of(s.gram) as history,
    case
        when s.n = $order::integer or ($modified::boolean and last_tokens(s.gram, s.n - 1) = s.gram) then s.occurrences
        else p.tokens
    end as adjusted
from suffix as s
left join preceded as p on p.n = s.n and p.gram = s.gram
where not $modified::boolean or s.n < 3 or last_tokens(s.gram, s.n - 2) <> s.gram
