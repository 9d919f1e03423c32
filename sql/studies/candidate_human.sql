-- name: candidate_human
-- version: 1
-- grain: held-out caption
-- reads: reference
-- returns: candidate, stands_in, image_no, image, slot, held_out, caption_id, length
-- cites: Wang & Gaizauskas 2016, section 4
--
-- Upper bound: each caption is the candidate once, against the other captions of its image.
select 'human' as candidate, false as stands_in, image_no, image, slot, slot as held_out, caption_id, length
from reference
