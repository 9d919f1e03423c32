-- name: reference_ngram
-- version: 2
-- grain: reference, n-gram
-- params: first_image UINTEGER, last_image UINTEGER
-- reads: reference, image_ngram
-- returns: image_no, slot, caption_id, bigrams, n, gram, tf
--
-- The n-grams of each reference that a candidate can share. The others, two of three, are left out before pairing.
select r.image_no, r.slot, r.caption_id, greatest(r.length::integer - 1, 0) as bigrams, g.n, g.gram, g.tf
from reference as r
join image_ngram as g on g.image_no = r.image_no and g.caption_id = r.caption_id
where r.image_no between $first_image::uinteger and $last_image::uinteger
