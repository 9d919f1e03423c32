-- name: rouge_hit
-- version: 1
-- grain: candidate, reference that shares a word with it
-- reads: rouge_text, rouge_unit
-- returns: candidate_no, slot, unigrams, unigrams_before_last, pairs
-- cites: ROUGE-1.5.5.pl, ngramScore, skipBigramScore: clipped by the lower count, each reference on its own
--
-- How many units a candidate has in common with each reference: words, words that are not the last, pairs of words.
with candidate_side as (
    select t.candidate_no, t.held_out, u.unit, u.tf, u.tf_before_last
    from rouge_unit as u
    join rouge_text as t using (text_no)
    where t.candidate_no is not null
),
reference_side as (
    select t.slot, u.unit, u.tf, u.tf_before_last
    from rouge_unit as u
    join rouge_text as t using (text_no)
    where t.slot is not null
)
select
    c.candidate_no,
    r.slot,
    sum(least(c.tf, r.tf)) filter (where c.unit < 4294967296) as unigrams,
    sum(least(c.tf_before_last, r.tf_before_last)) filter (where c.unit < 4294967296) as unigrams_before_last,
    sum(least(c.tf, r.tf)) filter (where c.unit >= 4294967296) as pairs
from candidate_side as c
join reference_side as r on r.unit = c.unit and r.slot is distinct from c.held_out
group by c.candidate_no, r.slot
