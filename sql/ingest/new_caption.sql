-- name: new_caption
-- version: 1
-- grain: caption text
-- reads: content, caption
-- returns: caption_id, text
--
-- Texts that are not in the store yet, numbered after those that are.
with unseen as (select distinct n.text from content as n anti join caption as c on c.text = n.text)
select
    ((select coalesce(max(caption_id), 0) from caption) + row_number() over (order by text))::uinteger as caption_id,
    text
from unseen
