-- name: tokenized_version
-- version: 1
-- grain: dataset version
-- params: dataset VARCHAR
-- reads: version, membership, caption_tokens
-- returns: dataset, seq, tokenizers
-- order: v.dataset, v.seq
--
-- The tokenizers for which every caption of a version has tokens. A null dataset means all datasets. Missing tokens
-- are found first, row by row of membership, and count against each version with that row.
with made as (select distinct tokenizer from caption_tokens),
standing as (
    select m.dataset, m.from_seq, m.to_seq, m.caption_id, p.tokenizer
    from membership as m
    cross join made as p
    where $dataset::varchar is null or m.dataset = $dataset::varchar
),
lacking as (
    select distinct s.dataset, s.from_seq, s.to_seq, s.tokenizer
    from standing as s
    anti join caption_tokens as t on t.caption_id = s.caption_id and t.tokenizer = s.tokenizer
),
whole as (
    select v.dataset, v.seq, p.tokenizer
    from version as v
    cross join made as p
    anti join lacking as l
        on l.dataset = v.dataset and l.tokenizer = p.tokenizer and is_held(l.from_seq, l.to_seq, v.seq)
)
select v.dataset, v.seq, coalesce(list(w.tokenizer order by w.tokenizer) filter (where w.tokenizer is not null), []) as tokenizers
from version as v
left join whole as w on w.dataset = v.dataset and w.seq = v.seq
where $dataset::varchar is null or v.dataset = $dataset::varchar
group by v.dataset, v.seq
order by v.dataset, v.seq
