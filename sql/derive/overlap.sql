-- name: overlap
-- version: 1
-- grain: candidate, reference, n-gram that both hold
-- params: first_image UINTEGER, last_image UINTEGER
-- reads: candidate, reference, caption_gram
-- returns: candidate_no, n, gram, tf, reference_tf
--
-- Every n-gram that a candidate shares with a reference of its image, the held-out caption's own slot left out.
with candidate_gram as (
    select c.candidate_no, c.image_no, c.held_out, g.n, g.gram, g.tf
    from candidate as c
    join caption_gram as g using (caption_id)
    where c.image_no between $first_image::uinteger and $last_image::uinteger
),
reference_gram as (
    select r.image_no, r.slot, g.gram, g.tf
    from reference as r
    join caption_gram as g using (caption_id)
    where r.image_no between $first_image::uinteger and $last_image::uinteger
)
select
    c.candidate_no,
    c.n,
    c.gram,
    c.tf,
    r.tf as reference_tf
from candidate_gram as c
join reference_gram as r
    on r.image_no = c.image_no and r.gram = c.gram and r.slot is distinct from c.held_out
