-- name: half_size
-- version: 1
-- grain: selection, side
-- reads: halved
-- returns: selection_no, side, images, captions, wordless
-- order: selection_no, side
--
-- How many images and captions each side of each selection has, and how many of the captions have no token.
select
    selection_no,
    side,
    count(distinct image_no) as images,
    count(*) as captions,
    count(*) filter (where length = 0) as wordless
from halved
group by selection_no, side
order by selection_no, side
