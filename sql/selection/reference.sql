-- name: reference
-- version: 1
-- grain: caption
-- params: dataset VARCHAR, seq INTEGER, split VARCHAR, tokenizer VARCHAR
-- reads: membership, caption_tokens
-- returns: image_no, image, slot, split, caption_id, length
-- order: n.image_no, h.slot
--
-- The captions that a reference such as flickr8k@v3:test names, with images numbered from 1 in order of their IDs. A
-- null split means all. Each caption is a candidate once, and a reference of the other captions of its image.
with held as (
    select m.image, m.slot, m.split, m.caption_id, len(t.tokens)::uinteger as length
    from membership as m
    join caption_tokens as t on t.caption_id = m.caption_id and t.tokenizer = $tokenizer::varchar
    where m.dataset = $dataset::varchar and is_held(m.from_seq, m.to_seq, $seq::integer)
        and ($split::varchar is null or m.split = $split::varchar)
),
numbered as (
    select image, row_number() over (order by image)::uinteger as image_no
    from (select distinct image from held)
)
select n.image_no, h.image, h.slot, h.split, h.caption_id, h.length
from held as h
join numbered as n using (image)
order by n.image_no, h.slot
