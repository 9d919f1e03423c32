-- name: learnt_caption
-- version: 1
-- grain: caption
-- params: trained_dataset VARCHAR, trained_seq INTEGER, trained_split VARCHAR, tokenizer VARCHAR
-- reads: learnt_image, membership, caption_tokens
-- returns: image, slot, fold, tokens
-- order: m.image, m.slot
--
-- The training captions of a model.
select m.image, m.slot, i.fold, t.tokens
from membership as m
join learnt_image as i using (image)
join caption_tokens as t on t.caption_id = m.caption_id and t.tokenizer = $tokenizer::varchar
where m.dataset = $trained_dataset::varchar and is_held(m.from_seq, m.to_seq, $trained_seq::integer)
    and ($trained_split::varchar is null or m.split = $trained_split::varchar)
order by m.image, m.slot
