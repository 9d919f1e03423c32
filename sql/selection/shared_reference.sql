-- name: shared_reference
-- version: 1
-- grain: caption
-- reads: every_reference, compared_image
-- returns: image_no, image, slot, split, caption_id, length
-- order: image, slot
--
-- The captions of the images on which two sets are compared, with these images numbered from 1.
select dense_rank() over (order by image)::uinteger as image_no, image, slot, split, caption_id, length
from every_reference
semi join compared_image using (image)
order by image, slot
