-- name: rating
-- version: 1
-- grain: rated caption, judge
-- reads: annotated
-- returns: image, slot, judge, score, votes, times
--
-- What each judge says of each caption. Who rated a caption more than once is taken at the mean of what he said; sorted,
-- so that one sum has one order.
with given as (
    select image, slot, unnest(judgements, recursive := true)
    from annotated
)
select
    image,
    slot,
    judge,
    list_sum(list_sort(list(score))) / count(*) as score,
    sum(votes)::bigint as votes,
    count(*) as times
from given
group by image, slot, judge
order by image, slot, judge
