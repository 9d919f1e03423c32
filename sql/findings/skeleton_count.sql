-- name: skeleton_count
-- version: 1
-- grain: skeleton
-- reads: reference, skeleton
-- returns: skeleton, captions
-- merges: sum captions
--
-- The number of captions with each skeleton.
select s.skeleton, count(*) as captions
from reference as r
join skeleton as s using (caption_id)
group by s.skeleton
