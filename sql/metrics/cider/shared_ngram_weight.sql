-- name: shared_ngram_weight
-- version: 3
-- grain: candidate, reference, n-gram that both hold
-- params: first_image UINTEGER, last_image UINTEGER
-- reads: candidate, reference, tfidf_weight
-- returns: candidate_no, n, tf, reference_tf, cosine_unit, bigrams, reference_bigrams
-- cites: Vedantam et al. 2015, section 4, eq. 1-2, section 8
--
-- As overlap, with what a shared n-gram adds to the cosine of candidate and reference for each product of their counts:
-- its weight in both vectors. N-grams that every document holds weigh nothing and are left out. The length of a text is
-- its number of bigrams, as the official code has it.
with candidate_side as (
    select
        c.candidate_no, c.image_no, c.held_out, greatest(c.length::integer - 1, 0) as bigrams, w.n, w.gram, w.tf, w.weight
    from candidate as c
    join tfidf_weight as w on w.image_no = c.image_no and w.caption_id = c.caption_id
    where c.image_no between $first_image::uinteger and $last_image::uinteger
),
reference_side as (
    select r.image_no, r.slot, greatest(r.length::integer - 1, 0) as bigrams, w.gram, w.tf, w.weight
    from reference as r
    join tfidf_weight as w on w.image_no = r.image_no and w.caption_id = r.caption_id
    where r.image_no between $first_image::uinteger and $last_image::uinteger
)
select
    c.candidate_no,
    c.n,
    c.tf,
    r.tf as reference_tf,
    c.weight * r.weight as cosine_unit,
    c.bigrams,
    r.bigrams as reference_bigrams
from candidate_side as c
join reference_side as r
    on r.image_no = c.image_no and r.gram = c.gram and r.slot is distinct from c.held_out
