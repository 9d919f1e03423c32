-- name: cider
-- version: 1
-- grain: candidate, n-gram order
-- params: first_image UINTEGER, last_image UINTEGER
-- reads: candidate, reference_length, weighted_overlap
-- returns: candidate, image, slot, n, similarity
-- cites: Vedantam et al. 2015, section 4, eq. 2; cider/pyciderevalcap/cider: no stemming, no length penalty
--
-- Mean over the references of the cosine of tf-idf vectors. Cosines are summed as integers (in units of 2^-58), so
-- that the sum does not depend on the order in which threads add.
with cosine as (
    select
        candidate_no,
        n,
        sum((tf * reference_tf * cosine_unit * 288230376151711744.0)::bigint)::double / 288230376151711744.0 as total
    from weighted_overlap
    group by candidate_no, n
)
select
    c.candidate,
    c.image,
    c.slot,
    o.n::utinyint as n,
    coalesce(s.total, 0) / r.reference_count as similarity
from candidate as c
join reference_length as r using (candidate_no)
cross join range(1, 5) as o (n)
left join cosine as s on s.candidate_no = c.candidate_no and s.n = o.n
where c.image_no between $first_image::uinteger and $last_image::uinteger
order by c.candidate, c.image, c.slot, o.n
