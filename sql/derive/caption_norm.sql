-- name: caption_norm
-- version: 2
-- grain: caption text, n-gram order
-- reads: caption_gram, document_frequency, collection
-- returns: caption_id, n, norm
-- cites: Vedantam et al. 2015, section 4, eq. 1-2; cider/pyciderevalcap: raw counts, natural logarithm, df at least 1
--
-- Length of each text's tf-idf vector. Squares are summed as integers (in units of 2^-70), so that the sum does not
-- depend on the order in which threads add.
select
    g.caption_id,
    g.n,
    sqrt(
        sum((power(g.tf::double * (i.log_documents - ln(coalesce(f.images, 1))), 2) * 1180591620717411303424.0)::hugeint)::double
        / 1180591620717411303424.0
    ) as norm
from caption_gram as g
left join document_frequency as f using (gram)
cross join collection as i
group by g.caption_id, g.n
