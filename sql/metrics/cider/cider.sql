-- name: cider
-- version: 3
-- grain: candidate
-- params: clipped BOOLEAN, first_image UINTEGER, last_image UINTEGER
-- reads: candidate, reference_length, cosine_sum
-- returns: candidate, image, slot, mean_1, mean_2, mean_3, mean_4
-- order: c.candidate_no
-- cites: Vedantam et al. 2015, section 4, eq. 2 (CIDEr), section 8, eq. 4-5 (CIDEr-D); cider/pyciderevalcap
--
-- mean_n: mean over the references of the cosine of the tf-idf vectors of order n, for CIDEr-D of clipped counts.
select
    c.candidate,
    c.image,
    c.slot,
    coalesce(case when $clipped::boolean then s.clipped_1 else s.plain_1 end, 0) / r.reference_count as mean_1,
    coalesce(case when $clipped::boolean then s.clipped_2 else s.plain_2 end, 0) / r.reference_count as mean_2,
    coalesce(case when $clipped::boolean then s.clipped_3 else s.plain_3 end, 0) / r.reference_count as mean_3,
    coalesce(case when $clipped::boolean then s.clipped_4 else s.plain_4 end, 0) / r.reference_count as mean_4
from candidate as c
join reference_length as r using (candidate_no)
left join cosine_sum as s using (candidate_no)
where c.image_no between $first_image::uinteger and $last_image::uinteger
order by c.candidate_no
