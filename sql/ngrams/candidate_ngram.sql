-- name: candidate_ngram
-- version: 3
-- grain: candidate, n-gram
-- params: first_image UINTEGER, last_image UINTEGER
-- reads: candidate, image_ngram
-- returns: candidate_no, image_no, held_out, is_substitute, caption_id, bigrams, n, gram, tf
--
-- The n-grams of each candidate that a caption of its image can share.
select
    c.candidate_no, c.image_no, c.held_out, c.is_substitute, c.caption_id,
    greatest(c.length::integer - 1, 0) as bigrams,
    g.n, g.gram, g.tf
from candidate as c
join image_ngram as g on g.image_no = c.image_no and g.caption_id = c.caption_id
where c.image_no between $first_image::uinteger and $last_image::uinteger
