-- name: image_texts
-- version: 1
-- grain: image
-- reads: distinct_reference
-- returns: image, split, captions
-- order: image
--
-- The images of a selection, with the number of their different captions.
select image, min(split) as split, count(*)::integer as captions
from distinct_reference
group by image
order by image
