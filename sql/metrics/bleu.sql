-- name: bleu
-- version: 1
-- grain: candidate, n-gram order
-- params: first_image UINTEGER, last_image UINTEGER
-- reads: candidate, overlap, reference_length
-- returns: candidate, image, slot, n, matches, total, length, reference_length
-- cites: Papineni et al. 2002, section 2.1-2.2
--
-- Clip each n-gram of the candidate by the highest count that any single reference has of it.
with clipped as (
    select candidate_no, n, gram, least(any_value(tf), max(reference_tf)) as matches
    from overlap
    group by candidate_no, n, gram
),
matched as (
    select candidate_no, n, sum(matches)::uinteger as matches
    from clipped
    group by candidate_no, n
)
select
    c.candidate,
    c.image,
    c.slot,
    o.n::utinyint as n,
    coalesce(m.matches, 0)::uinteger as matches,
    greatest(c.length::integer - o.n + 1, 0)::uinteger as total,
    c.length,
    r.closest_length as reference_length
from candidate as c
join reference_length as r using (candidate_no)
cross join range(1, 5) as o (n)
left join matched as m on m.candidate_no = c.candidate_no and m.n = o.n
where c.image_no between $first_image::uinteger and $last_image::uinteger
order by c.candidate, c.image, c.slot, o.n
