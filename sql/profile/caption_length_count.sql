-- name: caption_length_count
-- version: 1
-- grain: length
-- reads: reference
-- returns: length, captions
--
-- How many captions have how many tokens.
select length, count(*)::ubigint as captions
from reference
group by length
order by length
