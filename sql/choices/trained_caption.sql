-- name: trained_caption
-- version: 1
-- grain: caption
-- params: tokenizer VARCHAR, trained_dataset VARCHAR, trained_seq INTEGER, trained_split VARCHAR
-- reads: choice_item, membership, caption_tokens
-- returns: image_no, caption_id, length
--
-- The training captions of a language model: a selection, without the images of items, whose captions may be right.
select dense_rank() over (order by m.image)::uinteger as image_no, m.caption_id, len(t.tokens)::uinteger as length
from membership as m
join caption_tokens as t on t.caption_id = m.caption_id and t.tokenizer = $tokenizer::varchar
where m.dataset = $trained_dataset::varchar and is_held(m.from_seq, m.to_seq, $trained_seq::integer)
    and ($trained_split::varchar is null or m.split = $trained_split::varchar)
    and m.image not in (select image from choice_item)
