-- name: length_penalty
-- version: 2
-- grain: difference in length
-- params: clipped BOOLEAN, sigma DOUBLE
-- reads: reference, candidate
-- returns: difference, penalty
-- order: difference
-- cites: Vedantam et al. 2015, section 8, eq. 4
--
-- The Gaussian of each difference in length, from 0 to the longest text; CIDEr, which does not clip, has no penalty.
with longest as (
    select greatest((select max(length) from reference), (select max(length) from candidate))::integer as length
),
difference as (select unnest(range(length + 1))::integer as difference from longest)
select
    difference,
    case
        when $clipped::boolean then exp(-(difference * difference)::double / (2 * $sigma::double * $sigma::double))
        else 1
    end as penalty
from difference
order by difference
