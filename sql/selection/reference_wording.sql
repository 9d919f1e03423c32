-- name: reference_wording
-- version: 2
-- grain: caption text
-- reads: reference, caption
-- returns: caption_id, text, is_plain
-- merges: rows
--
-- The texts of the references as read, each once, and whether all is ASCII letters, spaces, and ",", "." or "'".
select caption_id, text, not regexp_matches(text, '[^A-Za-z ,.'']') as is_plain
from caption
semi join reference using (caption_id)
