-- name: suspect_caption
-- version: 1
-- grain: caption that may be of another image
-- reads: suspect, reference
-- returns: suspect_no, image_no, slot, caption_id
--
-- The captions whose image is in doubt, numbered from 1 in order of image and slot.
select row_number() over (order by r.image_no, r.slot)::integer as suspect_no, r.image_no, r.slot, r.caption_id
from reference as r
join suspect as s on s.image = r.image and s.slot = r.slot
