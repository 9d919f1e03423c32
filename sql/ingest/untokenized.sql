-- name: untokenized
-- version: 1
-- grain: caption text
-- params: dataset VARCHAR, seq INTEGER, split VARCHAR, tokenizer VARCHAR
-- reads: membership, caption_tokens
-- returns: caption_id
-- order: m.caption_id
--
-- The texts of a selection without tokens of a tokenizer: those that ingests do not run are run when first needed.
select distinct m.caption_id
from membership as m
anti join caption_tokens as t on t.caption_id = m.caption_id and t.tokenizer = $tokenizer::varchar
where m.dataset = $dataset::varchar and is_held(m.from_seq, m.to_seq, $seq::integer)
    and ($split::varchar is null or m.split = $split::varchar)
order by m.caption_id
