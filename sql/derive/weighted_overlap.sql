-- name: weighted_overlap
-- version: 1
-- grain: candidate, reference, n-gram that both hold
-- params: first_image UINTEGER, last_image UINTEGER
-- reads: candidate, reference, weighted_gram
-- returns: candidate_no, n, tf, reference_tf, cosine_unit, length_difference
-- cites: Vedantam et al. 2015, section 4, eq. 1-2, section 8
--
-- As overlap, with what a shared n-gram adds to the cosine of candidate and reference for each product of their counts.
-- The length of a text is its number of bigrams, as the official code has it.
with candidate_gram as (
    select c.candidate_no, c.image_no, c.held_out, greatest(c.length::integer - 1, 0) as bigrams, g.n, g.gram, g.tf, g.weight
    from candidate as c
    join weighted_gram as g using (caption_id)
    where c.image_no between $first_image::uinteger and $last_image::uinteger
),
reference_gram as (
    select r.image_no, r.slot, greatest(r.length::integer - 1, 0) as bigrams, g.gram, g.tf, g.weight
    from reference as r
    join weighted_gram as g using (caption_id)
    where r.image_no between $first_image::uinteger and $last_image::uinteger
)
select
    c.candidate_no,
    c.n,
    c.tf,
    r.tf as reference_tf,
    c.weight * r.weight as cosine_unit,
    c.bigrams - r.bigrams as length_difference
from candidate_gram as c
join reference_gram as r
    on r.image_no = c.image_no and r.gram = c.gram and r.slot is distinct from c.held_out
