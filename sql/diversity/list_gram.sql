-- name: list_gram
-- version: 1
-- grain: list, n-gram
-- params: tokenizer VARCHAR, longest UTINYINT
-- reads: list_caption, caption_tokens
-- returns: list_no, n, gram, occurrences
-- merges: sum occurrences
--
-- The n-grams (n = 1 to $longest, 4 at most) within the captions of each list. Four token numbers fit in one integer,
-- the first highest.
with side_by_side as (
    select
        l.list_no,
        unnest(t.tokens)::uhugeint as a, unnest(t.tokens[2:])::uhugeint as b, unnest(t.tokens[3:])::uhugeint as c,
        unnest(t.tokens[4:])::uhugeint as d
    from list_caption as l
    join caption_tokens as t on t.caption_id = l.caption_id and t.tokenizer = $tokenizer::varchar
),
gram (list_no, n, gram) as (
    select list_no, 1, a from side_by_side where a is not null
    union all
    select list_no, 2, pack(a, b) from side_by_side where b is not null and $longest::utinyint >= 2
    union all
    select list_no, 3, pack(a, b, c) from side_by_side where c is not null and $longest::utinyint >= 3
    union all
    select list_no, 4, pack(a, b, c, d) from side_by_side where d is not null and $longest::utinyint >= 4
)
select list_no, n, gram, count(*) as occurrences
from gram
group by list_no, n, gram
