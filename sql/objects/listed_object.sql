-- name: listed_object
-- version: 1
-- grain: image and object
-- reads: reference, caption
-- returns: image_key, object
--
-- The objects of each image of a list. An image without objects has a text without letters, an object of no caption.
select distinct image_key(r.image) as image_key, lower(trim(c.text)) as object
from reference as r
join caption as c on c.caption_id = r.caption_id
