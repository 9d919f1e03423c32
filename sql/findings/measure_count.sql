-- name: measure_count
-- version: 1
-- grain: lengths, kind of end
-- reads: caption_measure
-- returns: characters, words, tokens, is_open, is_lettered, is_broken, captions
-- merges: sum captions
--
-- The number of captions by length and by how they end.
select characters, words, tokens, is_open, is_lettered, is_broken, count(*) as captions
from caption_measure
group by all
