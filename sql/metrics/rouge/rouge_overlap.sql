-- name: rouge_overlap
-- version: 2
-- grain: two texts of an image that share a word, one a candidate, one a reference
-- reads: rouge_unit
-- returns: text_no, lower_text_no, unigrams, unigrams_before_last, bigrams, skip_bigrams
-- cites: ROUGE-1.5.5.pl, ngramScore, skipBigramScore: clipped by the lower count, for each reference separately
--
-- The number of common units of two texts. It is symmetric, so it is counted once: captions in both roles are joined
-- half as often. Candidates are joined only with references, so pairs do not grow with the square of either.
with candidate_side as (select text_no, unit, tf, narrow_tf from rouge_unit where text_no & 1 = 1),
reference_side as (select text_no, unit, tf, narrow_tf from rouge_unit where text_no & 2 = 2)
select
    greatest(a.text_no, b.text_no) as text_no,
    least(a.text_no, b.text_no) as lower_text_no,
    sum(least(a.tf, b.tf)) filter (where a.unit < first_bigram())::uinteger as unigrams,
    coalesce(sum(least(a.narrow_tf, b.narrow_tf)) filter (where a.unit < first_bigram()), 0)::uinteger as unigrams_before_last,
    coalesce(sum(least(a.narrow_tf, b.narrow_tf)) filter (where a.unit >= first_bigram()), 0)::uinteger as bigrams,
    coalesce(sum(least(a.tf, b.tf)) filter (where a.unit >= first_bigram()), 0)::uinteger as skip_bigrams
from candidate_side as a
join reference_side as b on b.unit = a.unit and b.text_no <> a.text_no and (b.text_no < a.text_no or a.text_no & b.text_no & 3 <> 3)
group by greatest(a.text_no, b.text_no), least(a.text_no, b.text_no)
