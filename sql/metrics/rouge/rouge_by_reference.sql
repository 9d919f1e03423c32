-- name: rouge_by_reference
-- version: 1
-- grain: candidate
-- params: first_image UINTEGER, last_image UINTEGER
-- reads: candidate, bucket_text
-- returns: candidate, image, slot, candidate_no, candidate_length
-- order: c.candidate_no
-- cites: Lin 2004, section 2 and 5; ROUGE-1.5.5.pl -n, -2, -u
--
-- The candidates and their numbers of words; rouge_pair has the units that they share with each reference.
select c.candidate, c.image, c.slot, c.candidate_no, len(t.tokens)::uinteger as candidate_length
from candidate as c
join bucket_text as t using (caption_id)
where c.image_no between $first_image::uinteger and $last_image::uinteger
order by c.candidate_no
