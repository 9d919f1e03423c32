-- name: substitute_pool
-- version: 1
-- grain: caption
-- params: tokenizer VARCHAR
-- reads: pool, membership, caption_tokens
-- returns: dataset, image, slot, caption_id, length, place
--
-- The captions of other datasets, or the sentences of a corpus, that may be substitutes. Relation pool lists their
-- versions and splits: (dataset, seq, split). `place` counts the captions of each dataset from 0.
select
    m.dataset, m.image, m.slot, m.caption_id, len(t.tokens)::uinteger as length,
    row_number() over (partition by m.dataset order by m.image, m.slot) - 1 as place
from pool as p
join membership as m
    on m.dataset = p.dataset and is_held(m.from_seq, m.to_seq, p.seq) and (p.split is null or m.split = p.split)
join caption_tokens as t on t.caption_id = m.caption_id and t.tokenizer = $tokenizer::varchar
