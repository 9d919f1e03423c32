-- name: reference_text
-- version: 1
-- grain: caption text
-- reads: reference
-- returns: caption_id
--
-- The texts of the references, each once.
select distinct caption_id
from reference
