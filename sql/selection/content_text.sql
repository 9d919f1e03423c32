-- name: content_text
-- version: 1
-- grain: caption text
-- reads: content, caption
-- returns: caption_id
--
-- The texts of the captions of a selection, each once.
select distinct t.caption_id
from content as c
join caption as t on t.text = c.text
