-- name: cider_d
-- version: 1
-- grain: candidate, n-gram order
-- params: sigma DOUBLE, first_image UINTEGER, last_image UINTEGER
-- reads: candidate, reference_length, weighted_overlap
-- returns: candidate, image, slot, n, similarity
-- cites: Vedantam et al. 2015, section 8, eq. 4-5; cider/pyciderevalcap/ciderD: raw counts, norms not clipped
--
-- As cider, but a candidate's count is clipped to the reference's, and a Gaussian of the difference in length falls
-- on each reference.
with penalised as (
    select
        candidate_no,
        n,
        sum((
            least(tf, reference_tf) * reference_tf * cosine_unit
            * exp(-(length_difference * length_difference) / (2 * $sigma::double * $sigma::double))
            * 288230376151711744.0
        )::bigint)::double / 288230376151711744.0 as total
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
left join penalised as s on s.candidate_no = c.candidate_no and s.n = o.n
where c.image_no between $first_image::uinteger and $last_image::uinteger
order by c.candidate, c.image, c.slot, o.n
