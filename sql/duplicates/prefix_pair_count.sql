-- name: prefix_pair_count
-- version: 1
-- grain: selection
-- reads: prefix_pair
-- returns: pairings
--
-- How often two wordings meet in a pair of rare words: what it costs to compare them.
with met as (
    select count(*) as wordings
    from prefix_pair
    group by key
)
select coalesce(sum(wordings * (wordings - 1) // 2), 0)::bigint as pairings
from met
