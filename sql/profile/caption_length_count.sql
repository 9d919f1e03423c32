-- name: caption_length_count
-- version: 1
-- grain: length
-- reads: reference
-- returns: length, captions
-- order: length
-- merges: sum captions
--
-- The number of captions by number of tokens.
select length, count(*)::ubigint as captions
from reference
group by length
order by length
