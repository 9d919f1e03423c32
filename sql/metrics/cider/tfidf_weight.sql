-- name: tfidf_weight
-- version: 2
-- grain: image, caption text, n-gram
-- reads: ngram_idf, tfidf_norm
-- returns: image_no, caption_id, n, gram, tf, weight
-- cites: Vedantam et al. 2015, section 4, eq. 1-2
--
-- As image_ngram, with the weight of one occurrence in the text's tf-idf vector of length 1: idf / |vector|. N-grams that
-- every document holds weigh nothing and are left out.
select g.image_no, g.caption_id, g.n, g.gram, g.tf, g.idf / v.norm as weight
from ngram_idf as g
join tfidf_norm as v on v.caption_id = g.caption_id and v.n = g.n
where g.idf <> 0
