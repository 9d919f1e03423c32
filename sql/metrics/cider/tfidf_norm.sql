-- name: tfidf_norm
-- version: 5
-- grain: text of an image
-- reads: image_text, text_idf_square, repeated_ngram, ngram_idf
-- returns: text_no, norm_1, norm_2, norm_3, norm_4
-- cites: Vedantam et al. 2015, section 4, eq. 1-2
--
-- Length of each text's tf-idf vector, by order. The sum of (tf idf)² is the sum of idf² over all occurrences, plus tf
-- (tf - 1) idf² for each n-gram that occurs more than once.
with again as (
    select r.text_no, r.n, r.tf::bigint * (r.tf - 1) * (power(i.idf, 2) * square_scale())::hugeint as square
    from repeated_ngram as r
    join ngram_idf as i on i.gram_no = r.gram_no
    where r.tf > 1
),
besides as (
    select
        text_no,
        sum(square) filter (n = 1) as square_1,
        sum(square) filter (n = 2) as square_2,
        sum(square) filter (n = 3) as square_3,
        sum(square) filter (n = 4) as square_4
    from again
    group by text_no
)
select
    t.text_no,
    sqrt((s.square_1 + coalesce(b.square_1, 0))::double / square_scale()) as norm_1,
    sqrt((s.square_2 + coalesce(b.square_2, 0))::double / square_scale()) as norm_2,
    sqrt((s.square_3 + coalesce(b.square_3, 0))::double / square_scale()) as norm_3,
    sqrt((s.square_4 + coalesce(b.square_4, 0))::double / square_scale()) as norm_4
from image_text as t
join text_idf_square as s on s.caption_id = t.caption_id
left join besides as b on b.text_no = t.text_no
