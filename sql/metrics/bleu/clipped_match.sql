-- name: clipped_match
-- version: 2
-- grain: candidate, n-gram order
-- reads: image_text, ngram_occurrence, repeated_ngram
-- returns: candidate_no, n, matches
-- cites: Papineni et al. 2002, section 2.1
--
-- The number of n-grams of each candidate that match its references, each clipped by its highest count in any single
-- reference, without the held-out caption: the k-th occurrence matches if a reference has the n-gram k times. The
-- number of such references, and the first of them, show whether there is one other than the held-out caption.
with level as (select text_no, n, gram_no, unnest(range(1, tf + 1)) as level from repeated_ngram),
held as (
    select gram_no, level, count(*) as holders, min(text_no) as first_holder
    from level
    where text_no & 2 = 2
    group by gram_no, level
),
occurrence as (
    select text_no, n, holders, first_holder from ngram_occurrence where is_once and holders > 0
    union all
    select l.text_no, l.n, h.holders, h.first_holder
    from level as l
    join held as h on h.gram_no = l.gram_no and h.level = l.level
)
select t.candidate_no, o.n, count(*)::uinteger as matches
from occurrence as o
join image_text as t on t.text_no = o.text_no
where t.candidate_no is not null and (o.holders > 1 or o.first_holder is distinct from t.left_out)
group by t.candidate_no, o.n
