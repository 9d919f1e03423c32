-- name: nearest_reference
-- version: 1
-- grain: candidate that is shown
-- params: tokenizer VARCHAR
-- reads: chosen_caption, candidate, reference, caption_tokens, caption
-- returns: image, slot, text, reference
-- order: n.image, n.slot
--
-- The texts of candidates, each with the reference that shares the largest part of their words (words of both, divided
-- by words of either), the first of equal ones. This is expensive: use it only for the few candidates in a table.
with met as (
    select
        c.image, c.slot, c.caption_id, r.slot as reference_slot, r.caption_id as reference_id,
        len(list_intersect(own.tokens, other.tokens)) as shared,
        len(list_distinct(list_concat(own.tokens, other.tokens))) as either
    from chosen_caption as s
    join candidate as c on c.image = s.image and c.slot = s.slot
    join reference as r on r.image_no = c.image_no and r.slot is distinct from c.held_out
    join caption_tokens as own on own.caption_id = c.caption_id and own.tokenizer = $tokenizer::varchar
    join caption_tokens as other on other.caption_id = r.caption_id and other.tokenizer = $tokenizer::varchar
),
nearest as (
    select
        image, slot, caption_id,
        arg_max(reference_id, struct_pack(share := shared / greatest(either, 1), earlier := -reference_slot::bigint))
            as reference_id
    from met
    group by image, slot, caption_id
)
select n.image, n.slot, c.text, r.text as reference
from nearest as n
join caption as c on c.caption_id = n.caption_id
join caption as r on r.caption_id = n.reference_id
order by n.image, n.slot
