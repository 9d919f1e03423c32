-- name: clipped_match
-- version: 1
-- grain: candidate, n-gram order
-- reads: candidate_ngram, reference_ngram
-- returns: candidate_no, n, matches
-- cites: Papineni et al. 2002, section 2.1
--
-- How many n-grams of each candidate its references match, each clipped by the highest count that any single reference
-- has of it, the held-out caption's own slot left out. One that the candidate has once is matched if any other caption
-- holds it, which the number of captions that hold it tells; only the rest is paired with every reference: n-grams that
-- a candidate repeats, and a substitute of a caption with other n-grams than its own.
with held as (
    select image_no, gram, count(*) as holders
    from reference_ngram
    group by image_no, gram
),
once as (
    select c.candidate_no, c.n, count(*) as matches
    from candidate_ngram as c
    join held as h on h.image_no = c.image_no and h.gram = c.gram
    where c.tf = 1 and (c.held_out is null or not c.is_substitute and h.holders > 1)
    group by c.candidate_no, c.n
),
paired as (
    select c.candidate_no, c.n, least(any_value(c.tf), max(r.tf)) as matches
    from candidate_ngram as c
    join reference_ngram as r on r.image_no = c.image_no and r.gram = c.gram and r.slot is distinct from c.held_out
    where c.tf > 1 or c.is_substitute and c.held_out is not null
    group by c.candidate_no, c.n, c.gram
),
counted as (
    select candidate_no, n, matches from once
    union all
    select candidate_no, n, matches from paired
)
select candidate_no, n, sum(matches)::uinteger as matches
from counted
group by candidate_no, n
