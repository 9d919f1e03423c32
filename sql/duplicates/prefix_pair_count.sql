-- name: prefix_pair_count
-- version: 1
-- grain: selection
-- reads: prefix_pair
-- returns: pairings
--
-- How often two texts meet in a pair of rare words: what it costs to compare them.
with met as (
    select count(*) as texts
    from prefix_pair
    group by key
)
select coalesce(sum(texts * (texts - 1) // 2), 0)::bigint as pairings
from met
