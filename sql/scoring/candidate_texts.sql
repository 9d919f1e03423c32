-- name: candidate_texts
-- version: 1
-- grain: candidate
-- params: first_image UINTEGER, last_image UINTEGER
-- reads: candidate, reference, caption, made_text
-- returns: candidate, image, slot, text, references
-- order: c.candidate, c.image, c.slot
--
-- Each candidate with a reference, as written, and the texts of its references by slot, for user-defined metrics.
with selected as (
    select candidate, image_no, image, slot, held_out, caption_id
    from candidate
    where image_no between $first_image::uinteger and $last_image::uinteger
),
of_reference as (
    select r.image_no, r.slot, coalesce(m.text, t.text) as text
    from reference as r
    left join caption as t on t.caption_id = r.caption_id
    left join made_text as m on m.caption_id = r.caption_id
    where r.image_no between $first_image::uinteger and $last_image::uinteger
),
met as (
    select c.candidate, c.image, c.slot, c.caption_id, list(r.text order by r.slot) as "references"
    from selected as c
    join of_reference as r on r.image_no = c.image_no and r.slot is distinct from c.held_out
    group by c.candidate, c.image, c.slot, c.caption_id
)
select c.candidate, c.image, c.slot, coalesce(m.text, t.text) as text, c."references"
from met as c
left join caption as t on t.caption_id = c.caption_id
left join made_text as m on m.caption_id = c.caption_id
order by c.candidate, c.image, c.slot
