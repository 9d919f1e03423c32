-- name: weighted_gram
-- version: 1
-- grain: caption text, n-gram
-- reads: caption_gram, caption_norm, selection_frequency, reference
-- returns: caption_id, n, gram, tf, weight
-- cites: Vedantam et al. 2015, section 4, eq. 1-2
--
-- One component of each text's tf-idf vector of unit length: tf times weight, which is idf / |vector|. N-grams that
-- every image has weigh nothing and are left out.
with collection as (select ln(max(image_no)::double) as log_images from reference)
select
    g.caption_id,
    g.n,
    g.gram,
    g.tf,
    (i.log_images - ln(f.images)) / v.norm as weight
from caption_gram as g
join selection_frequency as f using (gram)
join caption_norm as v on v.caption_id = g.caption_id and v.n = g.n
cross join collection as i
where i.log_images > ln(f.images)
