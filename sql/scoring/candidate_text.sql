-- name: candidate_text
-- version: 1
-- grain: caption text
-- reads: candidate
-- returns: caption_id
--
-- The substitutes among the candidates, each once; the other candidates are references.
select distinct caption_id
from candidate
where is_substitute
