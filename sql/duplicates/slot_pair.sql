-- name: slot_pair
-- version: 2
-- grain: question, pair of slots
-- reads: every_slot_pair
-- returns: question_no, slot, against_slot, exact, near, of_images
-- order: question_no, slot, against_slot
--
-- The pairs of slots with duplicates: an annotator may have copied another.
select question_no, slot, against_slot, exact, near, of_images
from every_slot_pair
where exact + near > 0
order by question_no, slot, against_slot
