-- name: bleu
-- version: 3
-- grain: candidate
-- params: first_image UINTEGER, last_image UINTEGER
-- reads: candidate, clipped_match, reference_length
-- returns: candidate, image, slot, matches_1, matches_2, matches_3, matches_4, length, closest_length, shortest_length
-- order: c.candidate_no
-- cites: Papineni et al. 2002, section 2.1-2.2
--
-- matches_n: the number of n-grams of order n that match the references, clipped.
with matched as (
    select
        candidate_no,
        sum(matches) filter (where n = 1) as matches_1,
        sum(matches) filter (where n = 2) as matches_2,
        sum(matches) filter (where n = 3) as matches_3,
        sum(matches) filter (where n = 4) as matches_4
    from clipped_match
    group by candidate_no
)
select
    c.candidate, c.image, c.slot,
    coalesce(m.matches_1, 0)::uinteger as matches_1,
    coalesce(m.matches_2, 0)::uinteger as matches_2,
    coalesce(m.matches_3, 0)::uinteger as matches_3,
    coalesce(m.matches_4, 0)::uinteger as matches_4,
    c.length, r.closest_length, r.shortest_length
from candidate as c
join reference_length as r using (candidate_no)
left join matched as m using (candidate_no)
where c.image_no between $first_image::uinteger and $last_image::uinteger
order by c.candidate_no
