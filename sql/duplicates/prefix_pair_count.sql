-- name: prefix_pair_count
-- version: 2
-- grain: selection
-- reads: prefix_pair
-- returns: pairings
--
-- The number of times that two texts share a pair of rare words that leads in one of them: the cost of comparing them.
with met as (select count(*) as texts, count_if(leads) as foremost from prefix_pair group by key)
select coalesce(sum(foremost * (2 * texts - foremost - 1) // 2), 0)::bigint as pairings
from met
