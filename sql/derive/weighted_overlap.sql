-- name: weighted_overlap
-- version: 2
-- grain: candidate, reference, n-gram that both hold
-- reads: candidate_gram, reference_gram, caption_norm, document_frequency, collection
-- returns: candidate_no, n, tf, reference_tf, cosine_unit, bigrams, reference_bigrams
-- cites: Vedantam et al. 2015, section 4, eq. 1-2, section 8
--
-- As overlap, with what a shared n-gram adds to the cosine of candidate and reference for each product of their counts:
-- its weight in both vectors, idf / |vector|. N-grams that every document has weigh nothing and are left out. The length
-- of a text is its number of bigrams, as the official code has it.
with rare as (
    select f.gram, i.log_documents - ln(f.images) as idf
    from document_frequency as f
    cross join collection as i
    where i.log_documents > ln(f.images)
),
candidate_side as (
    select c.candidate_no, c.image_no, c.held_out, c.bigrams, c.n, c.gram, c.tf, w.idf / v.norm as weight
    from candidate_gram as c
    join rare as w on w.gram = c.gram
    join caption_norm as v on v.caption_id = c.caption_id and v.n = c.n
),
reference_side as (
    select r.image_no, r.slot, r.bigrams, r.gram, r.tf, w.idf / v.norm as weight
    from reference_gram as r
    join rare as w on w.gram = r.gram
    join caption_norm as v on v.caption_id = r.caption_id and v.n = r.n
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
