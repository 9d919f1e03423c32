-- name: length_penalty
-- version: 1
-- grain: difference in length
-- params: sigma DOUBLE
-- reads: reference, candidate
-- returns: difference, penalty
-- cites: Vedantam et al. 2015, section 8, eq. 4
--
-- The Gaussian of each difference in length, from 0 to the longest text; a null sigma stands for no penalty.
with longest as (
    select greatest((select max(length) from reference), (select max(length) from candidate))::integer as length
),
difference as (select unnest(range(length + 1))::integer as difference from longest)
select
    difference,
    coalesce(exp(-(difference * difference)::double / (2 * $sigma::double * $sigma::double)), 1) as penalty
from difference
order by difference
