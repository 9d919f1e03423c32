-- name: candidate
-- version: 1
-- grain: candidate
-- reads: candidate_at_work
-- returns: candidate_no, candidate, is_substitute, image_no, image, slot, held_out, caption_id, length, from_dataset, from_image, from_slot
--
-- All candidates at work, numbered from 1.
select
    row_number() over (order by candidate, image_no, slot)::uinteger as candidate_no,
    candidate, is_substitute, image_no, image, slot, held_out, caption_id, length, from_dataset, from_image, from_slot
from candidate_at_work
