-- name: likely_pair
-- version: 1
-- grain: selection
-- reads: likely_wording
-- returns: pairs
--
-- How many pairs of wordings have to be compared word by word, and may have to be kept.
select count(*) as pairs from likely_wording
