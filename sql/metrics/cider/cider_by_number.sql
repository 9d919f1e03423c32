-- name: cider_by_number
-- version: 1
-- grain: candidate
-- params: first_image UINTEGER, last_image UINTEGER
-- reads: candidate
-- returns: candidate, image, slot, caption_id, bigrams
-- order: candidate, image, slot
-- cites: Vedantam et al. 2015, section 4, eq. 2 (CIDEr), section 8, eq. 4-5 (CIDEr-D); cider/pyciderevalcap
--
-- The candidates of one bucket of images. Their cosines with the first reference, the first two and so on are a kernel's
-- work (auditor/metrics/kernels/cosines_by_number.py): with every reference that joins, all weights change.
select candidate, image, slot, caption_id, greatest(length::integer - 1, 0) as bigrams
from candidate
where image_no between $first_image::uinteger and $last_image::uinteger
order by candidate, image, slot
