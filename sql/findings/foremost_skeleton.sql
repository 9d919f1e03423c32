-- name: foremost_skeleton
-- version: 1
-- grain: skeleton
-- params: least_captions INTEGER
-- reads: skeleton_count
-- returns: skeleton, captions, formed
--
-- The ten most frequent skeletons, and how many captions have one of them. A skeleton counts from `least_captions`
-- captions on. Ties are ranked by spelling.
select skeleton, captions, (sum(captions) over ())::bigint as formed
from (
    from skeleton_count
    where captions >= $least_captions::integer
    qualify row_number() over (order by captions desc, skeleton) <= 10
)
