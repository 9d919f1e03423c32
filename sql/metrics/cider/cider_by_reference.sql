-- name: cider_by_reference
-- version: 2
-- grain: candidate
-- params: clipped BOOLEAN, tf VARCHAR, sigma DOUBLE, first_image UINTEGER, last_image UINTEGER
-- reads: candidate, reference_length, fold_overlap
-- returns: candidate, image, slot, mean_1, mean_2, mean_3, mean_4, best_1, best_2, best_3, best_4, best_sum, best_product
-- order: c.candidate, c.image, c.slot
-- cites: Vedantam et al. 2015, section 4, eq. 2, section 8, eq. 4-5, appendix VIII (CIDEr-max)
--
-- As cider, reference by reference: the means over the references, and the score of the best reference for each order,
-- for the sum of the four cosines, and for their product.
with component as (
    select
        candidate_no, reference_slot, n,
        (
            case
                when not $clipped::boolean then tf
                when $tf::varchar = 'paper' then least(tf, reference_tf::double * (bigrams + 2 - n) / (reference_bigrams + 2 - n))
                else least(tf, reference_tf)
            end::double * reference_tf * cosine_unit
            * case when not $clipped::boolean then 1 else
                exp(-((bigrams - reference_bigrams) * (bigrams - reference_bigrams))::double / (2 * $sigma::double * $sigma::double))
            end
            * cosine_scale()
        )::bigint as cosine
    from fold_overlap
),
pair as (
    select
        candidate_no, reference_slot,
        coalesce(sum(cosine) filter (where n = 1), 0) as one,
        coalesce(sum(cosine) filter (where n = 2), 0) as two,
        coalesce(sum(cosine) filter (where n = 3), 0) as three,
        coalesce(sum(cosine) filter (where n = 4), 0) as four
    from component
    group by candidate_no, reference_slot
),
summed as (
    select
        candidate_no,
        [sum(one), sum(two), sum(three), sum(four)]::double[] as sums,
        [max(one), max(two), max(three), max(four)]::double[] as best,
        max(one + two + three + four)::double / cosine_scale() as best_sum,
        max(
            one::double / cosine_scale() * (two::double / cosine_scale())
            * (three::double / cosine_scale()) * (four::double / cosine_scale())
        ) as best_product
    from pair
    group by candidate_no
)
select
    c.candidate, c.image, c.slot,
    coalesce(s.sums[1] / cosine_scale(), 0) / r.reference_count as mean_1,
    coalesce(s.sums[2] / cosine_scale(), 0) / r.reference_count as mean_2,
    coalesce(s.sums[3] / cosine_scale(), 0) / r.reference_count as mean_3,
    coalesce(s.sums[4] / cosine_scale(), 0) / r.reference_count as mean_4,
    coalesce(s.best[1] / cosine_scale(), 0) as best_1,
    coalesce(s.best[2] / cosine_scale(), 0) as best_2,
    coalesce(s.best[3] / cosine_scale(), 0) as best_3,
    coalesce(s.best[4] / cosine_scale(), 0) as best_4,
    coalesce(s.best_sum, 0) as best_sum,
    coalesce(s.best_product, 0) as best_product
from candidate as c
join reference_length as r using (candidate_no)
left join summed as s using (candidate_no)
where c.image_no between $first_image::uinteger and $last_image::uinteger
order by c.candidate, c.image, c.slot
