-- name: fold_norm
-- version: 1
-- grain: caption text, fold, n-gram order
-- params: first_image UINTEGER, last_image UINTEGER
-- reads: run_item, candidate, reference, text_ngram, fold_frequency, fold_collection
-- returns: caption_id, fold, n, norm
-- cites: Vedantam et al. 2015, section 4, eq. 1-2
--
-- As tfidf_norm, for each fold that contains a text, as a candidate or as a reference.
with standing as (
    select r.caption_id, i.fold
    from run_item as i
    join reference as r on r.image_no = i.image_no and r.slot is distinct from i.held_out
    where i.image_no between $first_image::uinteger and $last_image::uinteger
    union
    select c.caption_id, i.fold
    from run_item as i
    join candidate as c on c.image_no = i.image_no and c.held_out is not distinct from i.held_out
    where i.image_no between $first_image::uinteger and $last_image::uinteger
)
select
    s.caption_id, s.fold, g.n,
    sqrt(
        sum((power(g.tf::double * (i.log_documents - ln(coalesce(f.images, 1))), 2) * square_scale())::hugeint)::double
        / square_scale()
    ) as norm
from standing as s
join text_ngram as g using (caption_id)
join fold_collection as i on i.fold = s.fold
left join fold_frequency as f on f.fold = s.fold and f.gram = g.gram
group by s.caption_id, s.fold, g.n
