-- name: parse
-- version: 1
-- grain: caption text
-- params: pipeline VARCHAR, first_caption UINTEGER, last_caption UINTEGER
-- reads: cache.parse, text_at_work
-- returns: caption_id, starts, lengths, tags, lemmas, heads, labels, chunk_starts, chunk_ends
--
-- The annotations of a pipeline for a range of the selected texts, as an earlier command kept them.
with wanted as (select distinct caption_id from text_at_work)
select p.caption_id, p.starts, p.lengths, p.tags, p.lemmas, p.heads, p.labels, p.chunk_starts, p.chunk_ends
from cache.parse as p
semi join wanted as w on w.caption_id = p.caption_id
where p.pipeline = $pipeline::varchar and p.caption_id between $first_caption::uinteger and $last_caption::uinteger
