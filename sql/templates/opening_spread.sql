-- name: opening_spread
-- version: 1
-- grain: number of tokens
-- reads: opening_count
-- returns: n, captions, openings, top_10, top_100, bits
-- order: n
-- cites: Shannon 1948 (entropy, base 2)
--
-- The variety of the first 2 to 5 tokens of captions: captions with so many tokens, different openings, captions with
-- one of the 10 or 100 most frequent, and the entropy of openings. Sums are of integers, in units of 2^-40 bits.
with ranked as (
    select n, captions, row_number() over (partition by n order by captions desc) as place, sum(captions) over (partition by n) as whole
    from opening_count
)
select
    n,
    sum(captions)::bigint as captions,
    count(*)::bigint as openings,
    coalesce(sum(captions) filter (where place <= 10), 0)::bigint as top_10,
    coalesce(sum(captions) filter (where place <= 100), 0)::bigint as top_100,
    sum((captions * log2(whole::double / captions) * log_scale())::hugeint)::double / log_scale() / sum(captions) as bits
from ranked
group by n
order by n
