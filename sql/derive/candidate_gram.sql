-- name: candidate_gram
-- version: 1
-- grain: candidate, n-gram
-- params: first_image UINTEGER, last_image UINTEGER
-- reads: candidate, caption_gram, reference_gram
-- returns: candidate_no, image_no, held_out, caption_id, bigrams, n, gram, tf
--
-- The n-grams of each candidate that a caption of its image holds. A caption that is its own candidate has those that
-- it has as a reference.
select c.candidate_no, c.image_no, c.held_out, r.caption_id, r.bigrams, r.n, r.gram, r.tf
from candidate as c
join reference_gram as r on r.image_no = c.image_no and r.slot = c.held_out
where not c.stands_in
union all
select
    c.candidate_no, c.image_no, c.held_out, c.caption_id, greatest(c.length::integer - 1, 0) as bigrams, g.n, g.gram, g.tf
from candidate as c
join caption_gram as g using (caption_id)
semi join reference_gram as r on r.image_no = c.image_no and r.gram = g.gram
where c.stands_in and c.image_no between $first_image::uinteger and $last_image::uinteger
