-- name: reference_wording
-- version: 1
-- grain: caption text
-- reads: reference, caption
-- returns: caption_id, text
--
-- The texts of the references as they were read, each once.
select caption_id, text
from caption
semi join reference using (caption_id)
