-- name: candidate_system
-- version: 3
-- grain: caption of a system's output
-- params: system VARCHAR, system_seq INTEGER, system_split VARCHAR, tokenizer VARCHAR
-- reads: reference, membership, caption_tokens, made_text
-- returns: candidate, is_substitute, image_no, image, slot, held_out, caption_id, length, from_dataset, from_image, from_slot
--
-- A system's output: each caption is scored against all captions of the image with the same ID. No caption is held out.
-- The texts generated for it are those of images that it does not describe.
with described as (select distinct image_no, image from reference)
select
    m.dataset as candidate, true as is_substitute, d.image_no, d.image, m.slot, null::uinteger as held_out, m.caption_id,
    len(t.tokens)::uinteger as length, m.dataset as from_dataset, m.image as from_image, m.slot as from_slot
from membership as m
join described as d using (image)
join caption_tokens as t on t.caption_id = m.caption_id and t.tokenizer = $tokenizer::varchar
where m.dataset = $system::varchar and is_held(m.from_seq, m.to_seq, $system_seq::integer)
    and ($system_split::varchar is null or m.split = $system_split::varchar)
union all
select
    m.candidate, true as is_substitute, d.image_no, d.image, m.slot, null::uinteger as held_out, m.caption_id,
    len(m.tokens)::uinteger as length, null::varchar as from_dataset, null::varchar as from_image, null::uinteger as from_slot
from made_text as m
join described as d using (image)
where m.candidate = $system::varchar
