-- name: text_image_cosine
-- version: 1
-- grain: candidate
-- params: first_image UINTEGER, last_image UINTEGER
-- reads: candidate, caption, made_text, vector_as_of
-- returns: candidate, image, slot, cosine
-- order: a.candidate, a.image, a.slot
-- cites: Hessel et al. 2021, section 3
--
-- The cosine of the vectors of each candidate and its image, if both exist.
with selected as (
    select c.candidate, c.image, c.slot, coalesce(m.text, t.text) as text
    from candidate as c
    left join caption as t on t.caption_id = c.caption_id
    left join made_text as m on m.caption_id = c.caption_id
    where c.image_no between $first_image::uinteger and $last_image::uinteger
),
of_image as (select image, vector::double[] as vector from vector_as_of where image is not null),
of_text as (select text, vector::double[] as vector from vector_as_of where text is not null)
select a.candidate, a.image, a.slot, list_cosine_similarity(t.vector, i.vector) as cosine
from selected as a
join of_image as i on i.image = a.image
join of_text as t on t.text = a.text
order by a.candidate, a.image, a.slot
