-- name: object_in_caption
-- version: 1
-- grain: mention of an object in a caption
-- reads: reference, object_mention, listed_object
-- returns: image, slot, position, object, words, is_present
-- order: r.image, r.slot, m.position, m.object
--
-- The mentions in captions of listed images, and whether the object is among those of the image.
select r.image, r.slot, m.position, m.object, m.words, count(*) filter (where l.object = m.object) > 0 as is_present
from reference as r
join listed_object as l on l.image_key = image_key(r.image)
join object_mention as m on m.caption_id = r.caption_id
group by r.image, r.slot, m.position, m.object, m.words
order by r.image, r.slot, m.position, m.object
