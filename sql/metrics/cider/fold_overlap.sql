-- name: fold_overlap
-- version: 1
-- grain: candidate, reference, n-gram that both have
-- reads: run_item, candidate_ngram, reference_ngram, fold_norm, fold_frequency, fold_collection
-- returns: candidate_no, reference_slot, n, tf, reference_tf, cosine_unit, bigrams, reference_bigrams
-- cites: Vedantam et al. 2015, section 4, eq. 1-2, section 8
--
-- As tfidf_weight, with the document frequencies of the candidate's fold, for each reference.
with shared as (
    select
        c.candidate_no, c.caption_id, r.caption_id as reference_id, r.slot as reference_slot, i.fold, c.n, c.gram, c.tf,
        r.tf as reference_tf, c.bigrams, r.bigrams as reference_bigrams
    from candidate_ngram as c
    join run_item as i on i.image_no = c.image_no and i.held_out is not distinct from c.held_out
    join reference_ngram as r on r.image_no = c.image_no and r.gram = c.gram and r.slot is distinct from c.held_out
),
weighed as (
    -- an n-gram in no document, which only a changed reference can share with a candidate, counts as in one document
    select
        s.candidate_no, s.caption_id, s.reference_id, s.reference_slot, s.fold, s.n, s.tf, s.reference_tf, s.bigrams,
        s.reference_bigrams,
        i.log_documents - ln(coalesce(f.images, 1)) as idf
    from shared as s
    join fold_collection as i on i.fold = s.fold
    left join fold_frequency as f on f.fold = s.fold and f.gram = s.gram
),
own as materialized (
    -- one norm at a time: with both at once, the planner joins them to each other first, which squares the rows
    select w.*, w.idf / v.norm as weight
    from weighed as w
    join fold_norm as v on v.caption_id = w.caption_id and v.fold = w.fold and v.n = w.n
    where w.idf > 0
)
select
    o.candidate_no, o.reference_slot, o.n, o.tf, o.reference_tf,
    o.weight * (o.idf / u.norm) as cosine_unit,
    o.bigrams, o.reference_bigrams
from own as o
join fold_norm as u on u.caption_id = o.reference_id and u.fold = o.fold and u.n = o.n
