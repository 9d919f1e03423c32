-- name: image_size_count
-- version: 1
-- grain: split, number of captions
-- reads: reference
-- returns: split, captions, images
-- merges: sum images
--
-- The number of images with so many captions. An image in several splits counts for the first by name.
select split, captions, count(*) as images
from (select min(split) as split, count(*)::uinteger as captions from reference group by image_no)
group by split, captions
