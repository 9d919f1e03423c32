-- name: overlap
-- version: 1
-- grain: candidate, reference, n-gram that both hold
-- reads: candidate_gram, reference_gram
-- returns: candidate_no, n, gram, tf, reference_tf
--
-- Every n-gram that a candidate shares with a reference of its image, the held-out caption's own slot left out.
select c.candidate_no, c.n, c.gram, c.tf, r.tf as reference_tf
from candidate_gram as c
join reference_gram as r
    on r.image_no = c.image_no and r.gram = c.gram and r.slot is distinct from c.held_out
