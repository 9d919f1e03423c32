-- name: drawn_reference
-- version: 4
-- grain: caption
-- params: drawn INTEGER, fewest INTEGER
-- reads: caption_place
-- returns: image_no, image, slot, split, caption_id, length
-- order: image, slot
-- cites: Wang & Gaizauskas 2016, section 4.1: descriptions sampled, so that datasets have equally many
--
-- The requested number of captions of each image; images with fewer than $fewest captions are left out.
select dense_rank() over (order by image)::uinteger as image_no, image, slot, split, caption_id, length
from caption_place
where place <= $drawn::integer and captions >= $fewest::integer
order by image, slot
