-- name: growing_bleu
-- version: 1
-- grain: candidate, number of references
-- reads: candidate, image_text, ngram_occurrence, repeated_ngram, reference_turn
-- returns: references, candidate, image, slot, matches_1, matches_2, matches_3, matches_4, length, closest_length, shortest_length
-- order: t.turn, c.candidate_no
-- cites: Papineni et al. 2002, section 2.1-2.2
--
-- The counts of `bleu` at each number of references: an n-gram matches from its first reference on that has it as often.
with level as (
    select text_no, n, gram_no, 1 as level from ngram_occurrence where is_once
    union all
    select text_no, n, gram_no, unnest(range(1, tf + 1)) from repeated_ngram
),
met as (
    select t.candidate_no, c.n, min(t.turn) as turn
    from level as c
    join image_text as i on i.text_no = c.text_no and i.candidate_no is not null
    join level as r on r.gram_no = c.gram_no and r.level = c.level
    join reference_turn as t on t.candidate_no = i.candidate_no and t.text_no = r.text_no
    group by t.candidate_no, c.n, c.gram_no, c.level
),
matched as (
    select
        candidate_no, turn,
        count(*) filter (n = 1) as matches_1,
        count(*) filter (n = 2) as matches_2,
        count(*) filter (n = 3) as matches_3,
        count(*) filter (n = 4) as matches_4
    from met
    group by candidate_no, turn
)
select
    t.turn as references, c.candidate, c.image, c.slot,
    coalesce(sum(m.matches_1) over so_far, 0)::uinteger as matches_1,
    coalesce(sum(m.matches_2) over so_far, 0)::uinteger as matches_2,
    coalesce(sum(m.matches_3) over so_far, 0)::uinteger as matches_3,
    coalesce(sum(m.matches_4) over so_far, 0)::uinteger as matches_4,
    c.length,
    place_of(min(at_distance(abs(r.length::bigint - c.length)::ubigint, r.length)) over so_far) as closest_length,
    min(r.length) over so_far as shortest_length
from reference_turn as t
join candidate as c on c.candidate_no = t.candidate_no
join image_text as r on r.text_no = t.text_no
left join matched as m on m.candidate_no = t.candidate_no and m.turn = t.turn
window so_far as (partition by t.candidate_no order by t.turn)
order by t.turn, c.candidate_no
