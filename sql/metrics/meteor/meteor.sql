-- name: meteor
-- version: 1
-- grain: candidate
-- params: first_image UINTEGER, last_image UINTEGER
-- reads: candidate
-- returns: candidate, image, slot, image_no, held_out, caption_id
-- order: candidate, image, slot
-- cites: Denkowski & Lavie 2014; the alignment itself is auditor/metrics/kernels/meteor
--
-- The candidates of one bucket of images. METEOR aligns each with every reference by a beam search that depends on the
-- order of its steps, which SQL cannot express.
select candidate, image, slot, image_no, held_out, caption_id
from candidate
where image_no between $first_image::uinteger and $last_image::uinteger
order by candidate, image, slot
