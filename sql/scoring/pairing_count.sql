-- name: pairing_count
-- version: 2
-- grain: image
-- reads: candidate, reference
-- returns: image_no, captions, candidates, words, longest_caption, longest_candidate
-- order: c.image_no
--
-- The number of captions and candidates of each image, of their words, and of the words of the longest: the memory and
-- time of a count increase with these.
with described as (
    select image_no, count(*) as candidates, coalesce(sum(length) filter (where is_substitute), 0) as words, max(length) as longest
    from candidate
    group by image_no
),
captioned as (
    select image_no, count(*) as captions, sum(length) as words, max(length) as longest
    from reference
    group by image_no
)
select
    c.image_no, c.captions::bigint as captions,
    coalesce(d.candidates, 0)::bigint as candidates,
    (c.words + coalesce(d.words, 0))::bigint as words,
    c.longest::bigint as longest_caption,
    coalesce(d.longest, 0)::bigint as longest_candidate
from captioned as c
left join described as d using (image_no)
order by c.image_no
