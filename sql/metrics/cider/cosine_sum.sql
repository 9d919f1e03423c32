-- name: cosine_sum
-- version: 1
-- grain: candidate
-- params: tf VARCHAR, sigma DOUBLE
-- reads: tfidf_weight
-- returns: candidate_no, plain_1, plain_2, plain_3, plain_4, clipped_1, clipped_2, clipped_3, clipped_4
-- cites: Vedantam et al. 2015, section 4, eq. 2 (CIDEr), section 8, eq. 4-5 (CIDEr-D); cider/pyciderevalcap
--
-- The sums over n-grams that a candidate shares with its references, of what each adds to the cosines of their tf-idf
-- vectors, by order 1 to 4. plain is for CIDEr. clipped is for CIDEr-D, which clips a candidate's count to the
-- reference's (tf 'paper': its share of the n-grams of order n, bigrams + 2 - n, to the reference's share), and
-- multiplies each reference by a Gaussian of the difference in length. Both are computed at once, because most of the
-- time is spent joining n-grams. Cosines are summed as integers (in units of 2^-58), so their order changes no digit.
with shared as (
    select
        c.candidate_no, c.n, c.tf, r.tf as reference_tf,
        c.weight * r.weight as cosine_unit,
        c.bigrams, r.bigrams as reference_bigrams
    from tfidf_weight as c
    join tfidf_weight as r on r.gram_no = c.gram_no and r.text_no is distinct from c.left_out
    where c.candidate_no is not null and r.is_reference
),
component as (
    select
        candidate_no, n,
        (tf::double * reference_tf * cosine_unit * cosine_scale())::bigint as plain,
        (
            case
                when $tf::varchar = 'paper' then least(tf, reference_tf::double * (bigrams + 2 - n) / (reference_bigrams + 2 - n))
                else least(tf, reference_tf)
            end::double * reference_tf * cosine_unit
            * exp(-((bigrams - reference_bigrams) * (bigrams - reference_bigrams))::double / (2 * $sigma::double * $sigma::double))
            * cosine_scale()
        )::bigint as clipped
    from shared
)
select
    candidate_no,
    sum(plain) filter (n = 1)::double / cosine_scale() as plain_1,
    sum(plain) filter (n = 2)::double / cosine_scale() as plain_2,
    sum(plain) filter (n = 3)::double / cosine_scale() as plain_3,
    sum(plain) filter (n = 4)::double / cosine_scale() as plain_4,
    sum(clipped) filter (n = 1)::double / cosine_scale() as clipped_1,
    sum(clipped) filter (n = 2)::double / cosine_scale() as clipped_2,
    sum(clipped) filter (n = 3)::double / cosine_scale() as clipped_3,
    sum(clipped) filter (n = 4)::double / cosine_scale() as clipped_4
from component
group by candidate_no
