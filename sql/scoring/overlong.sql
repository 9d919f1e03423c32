-- name: overlong
-- version: 1
-- grain: caption
-- params: dataset VARCHAR, seq INTEGER, split VARCHAR, tokenizer VARCHAR, most_words UINTEGER
-- reads: membership, caption_tokens
-- returns: image, slot, words
-- order: words desc, m.image, m.slot
--
-- The captions with more words than kernels can align, the longest first.
select m.image, m.slot, len(t.tokens)::uinteger as words
from membership as m
join caption_tokens as t on t.caption_id = m.caption_id and t.tokenizer = $tokenizer::varchar
where m.dataset = $dataset::varchar and is_held(m.from_seq, m.to_seq, $seq::integer)
    and ($split::varchar is null or m.split = $split::varchar) and len(t.tokens) > $most_words::uinteger
order by words desc, m.image, m.slot
