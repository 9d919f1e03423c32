-- name: rating_coincidence
-- version: 1
-- grain: number of ratings of a caption, two ratings
-- reads: rating
-- returns: ratings, score_a, score_b, pairs
-- order: a.ratings, a.score, b.score
-- cites: Krippendorff 2011, Computing Krippendorff's alpha-reliability: the matrix of observed coincidences
--
-- The number of times that two judges of one caption give a pair of ratings, in both orders. Captions are grouped by
-- their number of ratings, because alpha weighs a pair by it. A caption with one rating has no pair.
with rated as (select image, slot, judge, score, count(*) over (partition by image, slot) as ratings from rating)
select a.ratings, a.score as score_a, b.score as score_b, count(*) as pairs
from rated as a
join rated as b on b.image = a.image and b.slot = a.slot and b.judge <> a.judge
group by a.ratings, a.score, b.score
order by a.ratings, a.score, b.score
