-- name: frequent_opening
-- version: 1
-- grain: number of tokens, opening
-- params: shown INTEGER
-- reads: opening_count, vocabulary
-- returns: n, pattern, captions
-- order: n, captions desc, pattern
--
-- The most frequent openings of 2, 3, 4 and 5 tokens as text; ties are sorted by spelling.
with foremost as (
    select n, opening, captions
    from opening_count
    qualify rank() over (partition by n order by captions desc) <= $shown::integer
),
placed as (
    select n, opening, captions, unnest(opening) as token_id, unnest(range(len(opening))) as place from foremost
),
spelled as (
    select p.n, p.captions, string_agg(v.token, ' ' order by p.place) as pattern
    from placed as p
    join vocabulary as v using (token_id)
    group by p.n, p.opening, p.captions
)
select n, pattern, captions
from spelled
qualify row_number() over (partition by n order by captions desc, pattern) <= $shown::integer
order by n, captions desc, pattern
