-- name: occurrence_so_far
-- version: 1
-- grain: text of an image, position of an n-gram
-- reads: image_text, growing_occurrence
-- returns: text_no, n, gram_no, gram, is_once
--
-- The n-grams that texts of a part of the draw have, as they were found in the whole draw.
select t.text_no, o.n, o.gram_no, o.gram, o.is_once
from image_text as t
join growing_occurrence as o on o.image_no = t.image_no and o.caption_id = t.caption_id
