-- name: fold_overlap
-- version: 1
-- grain: candidate, reference, n-gram that both hold
-- reads: item, candidate_gram, reference_gram, fold_norm, fold_frequency, fold_collection
-- returns: candidate_no, reference_slot, n, tf, reference_tf, cosine_unit, bigrams, reference_bigrams
-- cites: Vedantam et al. 2015, section 4, eq. 1-2, section 8
--
-- As weighted_overlap, with the document frequencies of the candidate's own fold, and the reference named.
with shared as (
    select
        c.candidate_no,
        c.caption_id,
        r.caption_id as reference_id,
        r.slot as reference_slot,
        i.fold,
        c.n,
        c.gram,
        c.tf,
        r.tf as reference_tf,
        c.bigrams,
        r.bigrams as reference_bigrams
    from candidate_gram as c
    join item as i on i.image_no = c.image_no and i.held_out is not distinct from c.held_out
    join reference_gram as r on r.image_no = c.image_no and r.gram = c.gram and r.slot is distinct from c.held_out
),
rare as (
    select f.fold, f.gram, i.log_documents - ln(f.images) as idf
    from fold_frequency as f
    join fold_collection as i using (fold)
    where i.log_documents > ln(f.images)
)
select
    s.candidate_no,
    s.reference_slot,
    s.n,
    s.tf,
    s.reference_tf,
    w.idf / v.norm * (w.idf / u.norm) as cosine_unit,
    s.bigrams,
    s.reference_bigrams
from shared as s
join rare as w on w.fold = s.fold and w.gram = s.gram
join fold_norm as v on v.caption_id = s.caption_id and v.fold = s.fold and v.n = s.n
join fold_norm as u on u.caption_id = s.reference_id and u.fold = s.fold and u.n = s.n
