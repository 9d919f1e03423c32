-- name: candidate_compared
-- version: 1
-- grain: compared caption
-- params: system VARCHAR, system_seq INTEGER, system_split VARCHAR, tokenizer VARCHAR
-- reads: reference, membership, annotation, caption_tokens
-- returns: candidate, is_substitute, image_no, image, slot, held_out, caption_id, length, from_dataset, from_image, from_slot
--
-- The compared captions, B and C, as candidates for all captions of the image with the same id. A text that is compared
-- several times for an image is one candidate, with the first of its slots, as in `pairwise_preference`.
with described as (select distinct image_no, image from reference),
compared_side as (
    select image, slot
    from annotation
    where dataset = $system::varchar and is_held(from_seq, to_seq, $system_seq::integer)
        and coalesce((pair).side, (triplet).side) in ('B', 'C')
),
compared_text as (
    select m.image, m.caption_id, min(m.slot) as slot
    from membership as m
    semi join compared_side as s on s.image = m.image and s.slot = m.slot
    where m.dataset = $system::varchar and is_held(m.from_seq, m.to_seq, $system_seq::integer)
        and ($system_split::varchar is null or m.split = $system_split::varchar)
    group by m.image, m.caption_id
)
select
    $system::varchar as candidate, true as is_substitute, d.image_no, d.image, c.slot, null::uinteger as held_out, c.caption_id,
    len(t.tokens)::uinteger as length, $system::varchar as from_dataset, c.image as from_image, c.slot as from_slot
from compared_text as c
join described as d using (image)
join caption_tokens as t on t.caption_id = c.caption_id and t.tokenizer = $tokenizer::varchar
