-- name: image_text
-- version: 1
-- grain: text of an image
-- params: first_image UINTEGER, last_image UINTEGER
-- reads: candidate, reference, bucket_text
-- returns: text_no, image_no, slot, candidate_no, held_out, left_out, place_bit, caption_id, length, tokens
--
-- The texts of each image: references (with a slot), candidates (with a number), and captions that are both, once. A
-- substitute or a system's caption has no slot. The last two bits of a text's number are its type: 1 a candidate, 2 a
-- reference, 3 both. left_out is the text of the held-out caption. place_bit is a bit that only this text of the image
-- has; texts from the 63rd on share one.
with beside as (
    select r.image_no, r.slot, c.candidate_no, c.held_out, r.caption_id, r.length
    from reference as r
    left join candidate as c on c.image_no = r.image_no and c.held_out = r.slot and not c.is_substitute
    where r.image_no between $first_image::uinteger and $last_image::uinteger
    union all
    select image_no, null, candidate_no, held_out, caption_id, length
    from candidate
    where is_substitute and image_no between $first_image::uinteger and $last_image::uinteger
),
numbered as (
    select
        (
            4 * row_number() over (order by image_no, slot, candidate_no)
            + (candidate_no is not null)::int
            + 2 * (slot is not null)::int
        )::uinteger as text_no,
        row_number() over (partition by image_no order by slot, candidate_no) - 1 as place,
        image_no, slot, candidate_no, held_out, caption_id, length
    from beside
)
select
    n.text_no, n.image_no, n.slot, n.candidate_no, n.held_out, o.text_no as left_out,
    1::bigint << least(n.place, 62) as place_bit,
    n.caption_id, n.length, t.tokens
from numbered as n
join bucket_text as t using (caption_id)
left join numbered as o on o.image_no = n.image_no and o.slot = n.held_out
