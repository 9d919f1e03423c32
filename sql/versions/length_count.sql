-- name: length_count
-- version: 1
-- grain: length in tokens
-- reads: reference_a, reference_b
-- returns: length, captions_a, captions_b
-- order: length
--
-- The number of captions of each length on two sides.
with caption as (
    select 'a' as side, length from reference_a
    union all
    select 'b', length from reference_b
)
select
    length::bigint as length,
    count(*) filter (where side = 'a') as captions_a,
    count(*) filter (where side = 'b') as captions_b
from caption
group by length
order by length
