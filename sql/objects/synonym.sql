-- name: synonym
-- version: 1
-- grain: synonym of an object
-- reads: reference
-- returns: object, caption_id
--
-- The synonyms of each object, from a dataset whose images are objects and whose captions are their synonyms.
select distinct lower(trim(image)) as object, caption_id
from reference
