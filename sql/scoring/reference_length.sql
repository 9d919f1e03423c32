-- name: reference_length
-- version: 2
-- grain: candidate
-- params: first_image UINTEGER, last_image UINTEGER
-- reads: candidate, reference
-- returns: candidate_no, reference_count, closest_length, shortest_length
-- cites: Papineni et al. 2002, section 2.2.2; mteval: of two equally close lengths the shorter
--
-- The number of references of a candidate (no row without any), and the lengths of the closest and the shortest.
select
    c.candidate_no, count(*)::uinteger as reference_count,
    arg_min(r.length, struct_pack(distance := abs(r.length::integer - c.length::integer), shorter := r.length)) as closest_length,
    min(r.length) as shortest_length
from candidate as c
join reference as r on r.image_no = c.image_no and r.slot is distinct from c.held_out
where c.image_no between $first_image::uinteger and $last_image::uinteger
group by c.candidate_no
