-- name: nearest_occurrence
-- version: 1
-- grain: side, text
-- reads: first_occurrence, similar_text
-- returns: side_no, text_no, image_no, best, other_best
--
-- The occurrence in a side most similar to a text, with its image, and the best at another image. Both are packed into
-- numbers, the smallest the best: the distance (0 for the same text, else 1 or more millionths), then the place.
with near_or_equal as (
    select distinct text_no, text_no as other_no, 0::ubigint as distance
    from first_occurrence
    union all
    select text_no, other_no, 1 + (total - shared)::ubigint * 1000000 // total
    from similar_text
),
found as materialized (
    select l.side_no, a.text_no, l.image_no, at_distance(a.distance, l.place) as best
    from near_or_equal as a
    join first_occurrence as l on l.text_no = a.other_no
),
first_found as (
    select side_no, text_no, min(best) as best, arg_min(image_no, best) as image_no
    from found
    group by side_no, text_no
)
select f.side_no, f.text_no, f.image_no, f.best, min(o.best) filter (where o.image_no <> f.image_no) as other_best
from first_found as f
join found as o on o.side_no = f.side_no and o.text_no = f.text_no
group by f.side_no, f.text_no, f.image_no, f.best
