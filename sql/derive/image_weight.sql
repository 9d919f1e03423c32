-- name: image_weight
-- version: 1
-- grain: image, caption text, n-gram
-- reads: image_gram, caption_norm, rare_gram
-- returns: image_no, caption_id, n, gram, tf, weight
-- cites: Vedantam et al. 2015, section 4, eq. 1-2
--
-- As image_gram, with the weight of one occurrence in the text's tf-idf vector of length 1: idf / |vector|.
select g.image_no, g.caption_id, g.n, g.gram, g.tf, w.idf / v.norm as weight
from image_gram as g
join rare_gram as w on w.gram = g.gram
join caption_norm as v on v.caption_id = g.caption_id and v.n = g.n
