-- name: reference_place
-- version: 1
-- grain: reference
-- reads: reference, caption_place
-- returns: image_no, slot, caption_id, length, place
--
-- The drawn captions at work, each with its place in the order of the draw.
select r.image_no, r.slot, r.caption_id, r.length, p.place
from reference as r
join caption_place as p using (image, slot)
