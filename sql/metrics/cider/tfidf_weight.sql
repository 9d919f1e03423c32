-- name: tfidf_weight
-- version: 3
-- grain: text of an image, n-gram
-- reads: image_text, ngram_occurrence, repeated_ngram, ngram_idf, tfidf_norm
-- returns: text_no, candidate_no, left_out, is_reference, bigrams, n, gram_no, tf, weight
-- cites: Vedantam et al. 2015, section 4, eq. 1-2
--
-- The n-grams that an image has more than once, in each text that has them, with the weight of one occurrence in the
-- text's tf-idf vector of length 1: idf / |vector|. N-grams in every document have weight 0 and are left out. The
-- length of a text is its number of bigrams, as in the official code.
with counted as (
    select text_no, n, gram_no, 1::uinteger as tf from ngram_occurrence where is_once
    union all
    select text_no, n, gram_no, tf from repeated_ngram
),
beside as (
    select
        t.text_no, t.candidate_no, t.left_out, t.slot is not null as is_reference,
        greatest(t.length::integer - 1, 0) as bigrams, v.norm_1, v.norm_2, v.norm_3, v.norm_4
    from image_text as t
    join tfidf_norm as v on v.text_no = t.text_no
)
select
    t.text_no, t.candidate_no, t.left_out, t.is_reference, t.bigrams, g.n, g.gram_no, g.tf,
    i.idf / case g.n when 1 then t.norm_1 when 2 then t.norm_2 when 3 then t.norm_3 else t.norm_4 end as weight
from counted as g
join ngram_idf as i on i.gram_no = g.gram_no
join beside as t on t.text_no = g.text_no
