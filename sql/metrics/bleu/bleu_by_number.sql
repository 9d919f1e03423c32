-- name: bleu_by_number
-- version: 1
-- grain: candidate
-- params: first_image UINTEGER, last_image UINTEGER
-- reads: candidate, clipped_match_by_number, reference_step
-- returns: candidate, image, slot, length, matches_1, matches_2, matches_3, matches_4, closest_length, shortest_length
-- order: c.candidate, c.image, c.slot
-- cites: Papineni et al. 2002, section 2.1-2.2
--
-- As bleu, with lists in place of numbers: what the k-th entry holds is counted against the first k references in the order
-- of the draw. Of two equally close lengths the shorter counts, which a number made of distance and length decides.
with grown as (
    select
        s.candidate_no,
        s.step,
        sum(coalesce(m.matches_1, 0)) over so_far as matches_1,
        sum(coalesce(m.matches_2, 0)) over so_far as matches_2,
        sum(coalesce(m.matches_3, 0)) over so_far as matches_3,
        sum(coalesce(m.matches_4, 0)) over so_far as matches_4,
        last_packed(min(pack(abs(s.length::bigint - c.length::bigint), s.length)) over so_far) as closest_length,
        min(s.length) over so_far as shortest_length
    from reference_step as s
    join candidate as c using (candidate_no)
    left join clipped_match_by_number as m on m.candidate_no = s.candidate_no and m.step = s.step
    window so_far as (partition by s.candidate_no order by s.step)
),
listed as (
    select
        candidate_no,
        list(matches_1::uinteger order by step) as matches_1,
        list(matches_2::uinteger order by step) as matches_2,
        list(matches_3::uinteger order by step) as matches_3,
        list(matches_4::uinteger order by step) as matches_4,
        list(closest_length::uinteger order by step) as closest_length,
        list(shortest_length order by step) as shortest_length
    from grown
    group by candidate_no
)
select
    c.candidate, c.image, c.slot, c.length,
    l.matches_1, l.matches_2, l.matches_3, l.matches_4, l.closest_length, l.shortest_length
from candidate as c
join listed as l using (candidate_no)
where c.image_no between $first_image::uinteger and $last_image::uinteger
order by c.candidate, c.image, c.slot
