-- name: length_count
-- version: 1
-- grain: length in tokens
-- reads: reference_of_side
-- returns: length, captions_a, captions_b
-- order: length
--
-- The number of captions of each length on two sides.
select
    length::bigint as length,
    count(*) filter (where side = 'a') as captions_a,
    count(*) filter (where side = 'b') as captions_b
from reference_of_side
group by length
order by length
