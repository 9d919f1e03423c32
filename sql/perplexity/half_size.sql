-- name: half_size
-- version: 1
-- grain: selection, side
-- reads: train_test_half
-- returns: selection_no, side, images, captions, wordless
-- order: selection_no, side
--
-- The number of images and captions on each side of each selection, and of captions without tokens.
select
    selection_no, side,
    count(distinct image_no) as images,
    count(*) as captions,
    count(*) filter (where length = 0) as wordless
from train_test_half
group by selection_no, side
order by selection_no, side
