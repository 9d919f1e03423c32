-- name: rating
-- version: 1
-- grain: rated caption, judge
-- reads: annotated
-- returns: image, slot, judge, score, votes, times
-- order: image, slot, judge
--
-- The rating of each caption by each judge: the mean of several, sorted so that a sum has one order.
with given as (select image, slot, unnest(judgements, recursive := true) from annotated)
select
    image, slot, judge,
    list_sum(list_sort(list(score))) / count(*) as score,
    sum(votes)::bigint as votes,
    count(*) as times
from given
group by image, slot, judge
order by image, slot, judge
