-- name: object_name
-- version: 1
-- grain: spelling of an object
-- reads: reference, caption
-- returns: object, caption_id
--
-- The objects that a list of objects by image names. Without a list of synonyms, captions mention them by these names.
select distinct lower(trim(c.text)) as object, r.caption_id
from reference as r
join caption as c on c.caption_id = r.caption_id
