-- name: rating_coincidence
-- version: 1
-- grain: number of ratings of a caption, two ratings
-- reads: rating
-- returns: ratings, score_a, score_b, pairs
-- order: a.ratings, a.score, b.score
-- cites: Krippendorff 2011, Computing Krippendorff's alpha-reliability: the matrix of observed coincidences
--
-- How often two judges of one caption give such a pair of ratings, both ways around. Captions are kept apart by how many
-- ratings they have, since alpha weighs a pair by that; who was rated once is compared with nobody.
with rated as (
    select image, slot, judge, score, count(*) over (partition by image, slot) as ratings
    from rating
)
select a.ratings, a.score as score_a, b.score as score_b, count(*) as pairs
from rated as a
join rated as b on b.image = a.image and b.slot = a.slot and b.judge <> a.judge
group by a.ratings, a.score, b.score
order by a.ratings, a.score, b.score
