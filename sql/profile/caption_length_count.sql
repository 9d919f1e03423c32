-- name: caption_length_count
-- version: 1
-- grain: length
-- reads: reference
-- returns: length, captions
-- order: length
--
-- How many captions have how many tokens.
select length, count(*)::ubigint as captions
from reference
group by length
order by length
