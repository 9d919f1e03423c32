-- name: cider
-- version: 3
-- grain: candidate
-- params: clipped BOOLEAN, tf VARCHAR, sigma DOUBLE, first_image UINTEGER, last_image UINTEGER
-- reads: candidate, reference_length, tfidf_weight
-- returns: candidate, image, slot, mean_1, mean_2, mean_3, mean_4
-- cites: Vedantam et al. 2015, section 4, eq. 2 (CIDEr), section 8, eq. 4-5 (CIDEr-D); cider/pyciderevalcap
--
-- mean_n: mean over the references of the cosine of the tf-idf vectors of order n. CIDEr-D clips a candidate's
-- count to the reference's (tf 'paper': its share of the n-grams of order n, bigrams + 2 - n, to the reference's share),
-- and lets a Gaussian of the difference in length fall on each reference; a null sigma stands for no penalty. Cosines
-- are summed as integers (in units of 2^-58), so that the sum does not depend on the order in which threads add.
with shared as (
    select
        c.candidate_no,
        c.n,
        c.tf,
        r.tf as reference_tf,
        c.weight * r.weight as cosine_unit,
        c.bigrams,
        r.bigrams as reference_bigrams
    from tfidf_weight as c
    join tfidf_weight as r on r.gram_no = c.gram_no and r.text_no is distinct from c.left_out
    where c.candidate_no is not null and r.is_reference
),
component as (
    select
        candidate_no,
        n,
        (
            case
                when not $clipped::boolean then tf
                when $tf::varchar = 'paper' then least(tf, reference_tf::double * (bigrams + 2 - n) / (reference_bigrams + 2 - n))
                else least(tf, reference_tf)
            end::double * reference_tf * cosine_unit
            * coalesce(
                exp(-((bigrams - reference_bigrams) * (bigrams - reference_bigrams))::double / (2 * $sigma::double * $sigma::double)),
                1
            )
            * cosine_scale()
        )::bigint as cosine
    from shared
),
summed as (
    select
        candidate_no,
        sum(cosine) filter (where n = 1)::double / cosine_scale() as cosine_1,
        sum(cosine) filter (where n = 2)::double / cosine_scale() as cosine_2,
        sum(cosine) filter (where n = 3)::double / cosine_scale() as cosine_3,
        sum(cosine) filter (where n = 4)::double / cosine_scale() as cosine_4
    from component
    group by candidate_no
)
select
    c.candidate,
    c.image,
    c.slot,
    coalesce(s.cosine_1, 0) / r.reference_count as mean_1,
    coalesce(s.cosine_2, 0) / r.reference_count as mean_2,
    coalesce(s.cosine_3, 0) / r.reference_count as mean_3,
    coalesce(s.cosine_4, 0) / r.reference_count as mean_4
from candidate as c
join reference_length as r using (candidate_no)
left join summed as s using (candidate_no)
where c.image_no between $first_image::uinteger and $last_image::uinteger
order by c.candidate_no
