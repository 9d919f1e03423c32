-- name: candidate_brown
-- version: 2
-- grain: held-out caption
-- params: seed BIGINT
-- reads: reference, substitute_pool, caption
-- returns: candidate, is_substitute, image_no, image, slot, held_out, caption_id, length, from_dataset, from_image, from_slot
-- cites: Wang & Gaizauskas 2016, section 5, Random Brown
--
-- Lower bound: instead of each caption, a sentence of a corpus with at least five tokens under the tokenizer and ten
-- characters in its source. The draw is an md5 of (seed, image, slot).
with placed as (
    select s.dataset, s.image, s.slot, s.caption_id, s.length, row_number() over (order by s.image, s.slot) - 1 as place
    from substitute_pool as s
    join caption as c using (caption_id)
    where s.length >= 5 and length(c.text) >= 10
),
drawn as (
    select
        image_no, image, slot,
        remainder_of(
            md5_number(concat_ws(chr(31), 'brown', $seed::bigint, image, slot)),
            (select nullif(count(*), 0) from placed)
        )::bigint as place
    from reference
)
select
    'brown' as candidate, true as is_substitute, d.image_no, d.image, d.slot, d.slot as held_out, p.caption_id, p.length,
    p.dataset as from_dataset, p.image as from_image, p.slot as from_slot
from drawn as d
join placed as p using (place)
