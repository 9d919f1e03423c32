-- name: side_size
-- version: 1
-- grain: selection
-- reads: side, side_caption
-- returns: side_no, captions, wordless, images, most_at_image
-- order: s.side_no
--
-- The number of captions of each selection, of those without a word (which have no duplicates), and of images, and the
-- largest number of captions at an image.
with described as (
    select side_no, image_no, count(*) as captions, count(*) filter (where text_no is null) as wordless
    from side_caption
    group by side_no, image_no
)
select
    s.side_no,
    sum(d.captions)::bigint as captions,
    sum(d.wordless)::bigint as wordless,
    count(*) as images,
    max(d.captions) as most_at_image
from side as s
join described as d on d.side_no = s.side_no
where s.splits is null
group by s.side_no
order by s.side_no
