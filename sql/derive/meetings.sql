-- name: meetings
-- version: 2
-- grain: image
-- reads: candidate, reference
-- returns: image_no, captions, candidates, words
--
-- How many captions and candidates meet on each image, and how many words they have: what the memory of a count grows with.
with described as (
    select image_no, count(*) as candidates, coalesce(sum(length) filter (where stands_in), 0) as words
    from candidate
    group by image_no
),
captioned as (
    select image_no, count(*) as captions, sum(length) as words
    from reference
    group by image_no
)
select
    c.image_no,
    c.captions::bigint as captions,
    coalesce(d.candidates, 0)::bigint as candidates,
    (c.words + coalesce(d.words, 0))::bigint as words
from captioned as c
left join described as d using (image_no)
order by c.image_no
