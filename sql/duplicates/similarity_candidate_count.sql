-- name: similarity_candidate_count
-- version: 1
-- grain: selection
-- reads: similarity_candidate
-- returns: pairs
--
-- How many pairs of texts have to be compared word by word, and may have to be kept.
select count(*) as pairs from similarity_candidate
