-- name: candidate_human
-- version: 2
-- grain: held-out caption
-- reads: reference
-- returns: candidate, is_substitute, image_no, image, slot, held_out, caption_id, length, from_dataset, from_image, from_slot
-- cites: Wang & Gaizauskas 2016, section 4
--
-- Upper bound: each caption is the candidate once, against the other captions of its image.
select
    'human' as candidate, false as is_substitute, image_no, image, slot, slot as held_out, caption_id, length,
    null::varchar as from_dataset, null::varchar as from_image, null::uinteger as from_slot
from reference
