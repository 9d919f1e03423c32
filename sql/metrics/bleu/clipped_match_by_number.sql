-- name: clipped_match_by_number
-- version: 1
-- grain: candidate, number of references
-- reads: candidate_ngram, ngram_holder, reference_place
-- returns: candidate_no, step, matches_1, matches_2, matches_3, matches_4
-- cites: Papineni et al. 2002, section 2.1
--
-- How many more n-grams of each candidate are matched, clipped, once the reference of that step has joined. The t-th
-- occurrence of an n-gram is matched from the first reference on that holds it t times.
with occurrence as (
    select candidate_no, image_no, held_out, n, gram, 1::uinteger as level from candidate_ngram
    union all
    select candidate_no, image_no, held_out, n, gram, unnest(range(2, tf + 1))::uinteger from candidate_ngram where tf > 1
),
matched as (
    select
        c.candidate_no,
        c.n,
        o.place as own_place,
        case when h.first_place is not distinct from o.place then h.second_place else h.first_place end as place
    from occurrence as c
    join ngram_holder as h on h.image_no = c.image_no and h.gram = c.gram and h.level = c.level
    left join reference_place as o on o.image_no = c.image_no and o.slot = c.held_out
)
select
    candidate_no,
    (place - coalesce(place > own_place, false)::utinyint)::uinteger as step,
    count(*) filter (where n = 1) as matches_1,
    count(*) filter (where n = 2) as matches_2,
    count(*) filter (where n = 3) as matches_3,
    count(*) filter (where n = 4) as matches_4
from matched
where place is not null
group by candidate_no, step
