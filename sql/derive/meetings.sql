-- name: meetings
-- version: 1
-- grain: all images
-- reads: candidate, reference
-- returns: meetings
--
-- How often a candidate meets a caption of its image, in all: what the memory of a count grows with.
with described as (select image_no, count(*) as candidates from candidate group by image_no),
captioned as (select image_no, count(*) as captions from reference group by image_no)
select coalesce(sum(d.candidates * c.captions), 0)::bigint as meetings
from described as d
join captioned as c using (image_no)
