-- name: tfidf_norm
-- version: 4
-- grain: caption text, n-gram order
-- reads: bucket_text, text_idf_square, ngram_idf
-- returns: caption_id, n, norm
-- cites: Vedantam et al. 2015, section 4, eq. 1-2
--
-- Length of each text's tf-idf vector: the sum of (tf idf)² is that of idf² over all occurrences, and, where an n-gram
-- occurs again, of tf (tf - 1) idf² besides. Such an n-gram is in image_ngram, since the image has all its tokens twice.
with repeated as (
    select distinct caption_id, n, gram, tf, idf from ngram_idf where tf > 1
),
besides as (
    select caption_id, n, sum(tf::bigint * (tf - 1) * (power(idf, 2) * square_scale())::hugeint) as square
    from repeated
    group by caption_id, n
)
select s.caption_id, s.n, sqrt((s.square + coalesce(b.square, 0))::double / square_scale()) as norm
from text_idf_square as s
semi join bucket_text as c on c.caption_id = s.caption_id
left join besides as b on b.caption_id = s.caption_id and b.n = s.n
