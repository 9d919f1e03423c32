-- name: similarity_candidate_count
-- version: 1
-- grain: selection
-- reads: similarity_candidate
-- returns: pairs
--
-- The number of pairs of texts that must be compared word by word, and may have to be stored.
select count(*) as pairs from similarity_candidate
