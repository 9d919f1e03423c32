-- name: halved_word
-- version: 1
-- grain: word of a changed caption
-- reads: reference, reference_word
-- returns: image, slot, position, token_id, token
-- cites: Wang & Gaizauskas 2016, section 6: which components of descriptions matter to each metric
--
-- The first half of each caption; with an odd number of words, the middle word stays.
select w.image, w.slot, w.position, w.token_id, w.token
from reference_word as w
join reference as r on r.image = w.image and r.slot = w.slot
where 2 * w.position <= r.length + 1
