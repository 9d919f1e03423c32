-- name: drawn_reference
-- version: 2
-- grain: caption
-- params: drawn INTEGER, fewest INTEGER
-- reads: caption_place
-- returns: image_no, image, slot, split, caption_id, length
-- cites: Wang & Gaizauskas 2016, section 4.1: descriptions sampled, so that datasets have equally many
--
-- As many captions of each image as asked for; an image that has fewer than the fewest allowed is left out.
select dense_rank() over (order by image)::uinteger as image_no, image, slot, split, caption_id, length
from caption_place
where place <= $drawn::integer and captions >= $fewest::integer
order by image, slot
