-- name: single_caption_image
-- version: 1
-- grain: image with one caption
-- reads: content
-- returns: image
-- order: image
--
-- Images with a single caption, which has no reference and gets no score.
select image
from content
group by image
having count(*) = 1
order by image
