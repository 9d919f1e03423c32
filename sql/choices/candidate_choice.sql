-- name: candidate_choice
-- version: 2
-- grain: caption of an item
-- params: system VARCHAR, system_seq INTEGER, system_split VARCHAR, tokenizer VARCHAR, label VARCHAR
-- reads: reference, membership, annotation, caption_tokens
-- returns: candidate, is_substitute, image_no, image, slot, held_out, caption_id, length, from_dataset, from_image, from_slot
--
-- All captions of each item, as candidates against the captions of its image. A right caption that is among these is
-- held out for all of them; otherwise it would be compared with itself, and the wrong one would not. An item with two
-- right captions among them is left out, since only one can be held out.
with side as (
    select a.image, a.slot, (a.pair).origin as item, (a.pair).side as side, m.caption_id
    from annotation as a
    join membership as m on m.dataset = a.dataset and m.image = a.image and m.slot = a.slot
    where a.dataset = $system::varchar and is_held(a.from_seq, a.to_seq, $system_seq::integer)
        and is_held(m.from_seq, m.to_seq, $system_seq::integer)
        and ($system_split::varchar is null or m.split = $system_split::varchar)
        and (a.pair).side not in ('B', 'C', 'question')
),
own as (
    select s.image, s.item, min(r.slot) as held_out, count(distinct r.caption_id) as texts
    from side as s
    join reference as r on r.image = s.image and r.caption_id = s.caption_id
    where starts_with(s.side, 'right')
    group by s.image, s.item
),
described as (select distinct image_no, image from reference)
select
    $label::varchar as candidate, true as is_substitute, d.image_no, d.image, s.slot, o.held_out, s.caption_id,
    len(t.tokens)::uinteger as length, $system::varchar as from_dataset, s.image as from_image, s.slot as from_slot
from side as s
join described as d using (image)
join caption_tokens as t on t.caption_id = s.caption_id and t.tokenizer = $tokenizer::varchar
left join own as o on o.image = s.image and o.item = s.item
where o.texts is null or o.texts = 1
