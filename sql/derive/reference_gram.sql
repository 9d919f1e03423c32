-- name: reference_gram
-- version: 1
-- grain: reference, n-gram
-- params: first_image UINTEGER, last_image UINTEGER
-- reads: reference, candidate, caption_gram
-- returns: image_no, slot, caption_id, bigrams, n, gram, tf
--
-- The n-grams of each reference that a candidate can meet: those that two captions of the image hold, and those of a
-- text that stands in for one. The rest, two n-grams in three, is left out here, before anything is paired.
with held as (
    select r.image_no, r.slot, r.caption_id, greatest(r.length::integer - 1, 0) as bigrams, g.n, g.gram, g.tf
    from reference as r
    join caption_gram as g using (caption_id)
    where r.image_no between $first_image::uinteger and $last_image::uinteger
),
met as (
    select image_no, gram
    from held
    group by image_no, gram
    having count(*) > 1
    union all
    select c.image_no, g.gram
    from candidate as c
    join caption_gram as g using (caption_id)
    where c.stands_in and c.image_no between $first_image::uinteger and $last_image::uinteger
)
select h.image_no, h.slot, h.caption_id, h.bigrams, h.n, h.gram, h.tf
from held as h
semi join met as m on m.image_no = h.image_no and m.gram = h.gram
