-- name: foremost_skeleton
-- version: 1
-- grain: skeleton
-- params: least_captions INTEGER
-- reads: skeleton_count
-- returns: skeleton, captions, formed
--
-- The ten most frequent skeletons of at least `least_captions` captions, ties by spelling, and their captions in all.
select skeleton, captions, (sum(captions) over ())::bigint as formed
from (
    from skeleton_count
    where captions >= $least_captions::integer
    qualify row_number() over (order by captions desc, skeleton) <= 10
)
