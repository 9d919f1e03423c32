-- name: rouge_pair
-- version: 1
-- grain: candidate, reference
-- reads: image_text, rouge_overlap
-- returns: candidate_no, reference_lengths, unigrams, unigrams_before_last, bigrams, skip_bigrams
-- order: c.candidate_no, r.slot
--
-- The number of units that each candidate shares with each of its references, in order of slots.
select
    c.candidate_no,
    len(r.tokens)::uinteger as reference_lengths,
    coalesce(o.unigrams, 0)::uinteger as unigrams,
    coalesce(o.unigrams_before_last, 0)::uinteger as unigrams_before_last,
    coalesce(o.bigrams, 0)::uinteger as bigrams,
    coalesce(o.skip_bigrams, 0)::uinteger as skip_bigrams
from image_text as c
join image_text as r on r.image_no = c.image_no and r.slot is distinct from c.held_out
left join rouge_overlap as o
    on o.text_no = greatest(c.text_no, r.text_no) and o.lower_text_no = least(c.text_no, r.text_no)
where c.candidate_no is not null and r.slot is not null
order by c.candidate_no, r.slot
