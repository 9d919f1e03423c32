-- name: rouge_text
-- version: 1
-- grain: text beside an image
-- params: first_image UINTEGER, last_image UINTEGER
-- reads: candidate, reference, bucket_text
-- returns: text_no, image_no, slot, candidate_no, held_out, tokens
--
-- The texts of each image: references (with a slot), candidates (with a number), and captions that are both, once. A
-- substitute or a system's caption has no slot. The last two bits of a text's number say what it is: 1 a candidate,
-- 2 a reference, 3 both.
with beside as (
    select r.image_no, r.slot, c.candidate_no, c.held_out, r.caption_id
    from reference as r
    left join candidate as c on c.image_no = r.image_no and c.held_out = r.slot and not c.is_substitute
    where r.image_no between $first_image::uinteger and $last_image::uinteger
    union all
    select image_no, null, candidate_no, held_out, caption_id
    from candidate
    where is_substitute and image_no between $first_image::uinteger and $last_image::uinteger
)
select
    (
        4 * row_number() over (order by b.image_no, b.slot, b.candidate_no)
        + (b.candidate_no is not null)::int
        + 2 * (b.slot is not null)::int
    )::uinteger as text_no,
    b.image_no,
    b.slot,
    b.candidate_no,
    b.held_out,
    t.tokens
from beside as b
join bucket_text as t using (caption_id)
