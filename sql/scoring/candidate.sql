-- name: candidate
-- version: 2
-- grain: candidate
-- params: against_all BOOLEAN
-- reads: candidate_at_work
-- returns: candidate_no, candidate, is_substitute, image_no, image, slot, held_out, caption_id, length, from_dataset, from_image, from_slot
--
-- All selected candidates, numbered from 1. Substitutes scored against all captions of the image hold none out.
select
    row_number() over (order by candidate, image_no, slot)::uinteger as candidate_no,
    candidate, is_substitute, image_no, image, slot,
    case when not $against_all::boolean then held_out end as held_out,
    caption_id, length, from_dataset, from_image, from_slot
from candidate_at_work
