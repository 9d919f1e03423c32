-- name: caption_row
-- version: 1
-- grain: caption
-- reads: reference, caption
-- returns: image, slot, split, text, words, length
-- merges: rows
--
-- The captions as the checks of users read them: the text as it was read, its number of words, its length in characters.
select r.image, r.slot, r.split, c.text, r.length::integer as words, length(c.text)::integer as length
from reference as r
join caption as c using (caption_id)
