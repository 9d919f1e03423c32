-- name: prefix_pair_count
-- version: 1
-- grain: selection
-- reads: prefix_pair
-- returns: pairings
--
-- The number of times that two texts share a pair of rare words: the cost of comparing them.
with met as (
    select count(*) as texts
    from prefix_pair
    group by key
)
select coalesce(sum(texts * (texts - 1) // 2), 0)::bigint as pairings
from met
