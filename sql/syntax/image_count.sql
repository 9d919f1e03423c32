-- name: image_count
-- version: 1
-- grain: image, what is counted
-- reads: reference, text_counts
-- returns: image_no, counted, number
--
-- What is counted in the captions of each image, where there is any, and the captions themselves.
select r.image_no, t.counted, sum(t.number)::bigint as number
from reference as r
join text_counts as t using (caption_id)
group by r.image_no, t.counted
union all
select image_no, 'caption' as counted, count(*) as number
from reference
group by image_no
