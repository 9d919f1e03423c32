-- name: cider
-- version: 4
-- grain: candidate
-- params: first_image UINTEGER, last_image UINTEGER
-- reads: candidate, reference_length, cosine_sum
-- returns: candidate, image, slot, plain_1, plain_2, plain_3, plain_4, clipped_1, clipped_2, clipped_3, clipped_4
-- order: c.candidate_no
-- cites: Vedantam et al. 2015, section 4, eq. 2 (CIDEr), section 8, eq. 4-5 (CIDEr-D); cider/pyciderevalcap
--
-- Means over the references of the cosine of the tf-idf vectors of order n: plain_n for CIDEr, clipped_n for CIDEr-D.
select
    c.candidate, c.image, c.slot,
    coalesce(s.plain_1, 0) / r.reference_count as plain_1,
    coalesce(s.plain_2, 0) / r.reference_count as plain_2,
    coalesce(s.plain_3, 0) / r.reference_count as plain_3,
    coalesce(s.plain_4, 0) / r.reference_count as plain_4,
    coalesce(s.clipped_1, 0) / r.reference_count as clipped_1,
    coalesce(s.clipped_2, 0) / r.reference_count as clipped_2,
    coalesce(s.clipped_3, 0) / r.reference_count as clipped_3,
    coalesce(s.clipped_4, 0) / r.reference_count as clipped_4
from candidate as c
join reference_length as r using (candidate_no)
left join cosine_sum as s using (candidate_no)
where c.image_no between $first_image::uinteger and $last_image::uinteger
order by c.candidate_no
