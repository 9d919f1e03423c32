-- name: text_to_parse
-- version: 1
-- grain: caption text
-- params: dataset VARCHAR, seq INTEGER, split VARCHAR
-- reads: membership, caption
-- returns: caption_id, text, text_hash
-- order: c.text
--
-- The texts of a selection for a pipeline, each once, in order of spelling. Hash and number identify one in any store.
with standing as (
    select distinct m.caption_id
    from membership as m
    where m.dataset = $dataset::varchar and is_held(m.from_seq, m.to_seq, $seq::integer)
        and ($split::varchar is null or m.split = $split::varchar)
)
select c.caption_id, c.text, hash(c.text) as text_hash
from caption as c
semi join standing as s on s.caption_id = c.caption_id
order by c.text
