-- name: content_match
-- version: 1
-- grain: candidate
-- params: first_image UINTEGER, last_image UINTEGER
-- reads: candidate, reference_length, content_word, local_recall_word
-- returns: candidate, image, slot, words, reference_count, reference_words, matched, reference_uses, matched_uses
-- order: c.candidate_no
-- cites: Nenkova & Passonneau 2004, section 3: content units weighted by the number of texts that have them
--
-- Each candidate against all its references together: its different content words, those of the references, and the
-- common ones. A word of the references has as many uses as there are references with it.
with used as (
    select
        candidate_no, count(*) as words, count(*) filter (where recalled) as matched, sum(importance) as uses,
        sum(importance) filter (where recalled) as matched_uses
    from local_recall_word
    group by candidate_no
),
written as (select caption_id, count(*) as words from content_word where is_content group by caption_id)
select
    c.candidate, c.image, c.slot,
    coalesce(w.words, 0)::uinteger as words,
    r.reference_count,
    coalesce(u.words, 0)::uinteger as reference_words,
    coalesce(u.matched, 0)::uinteger as matched,
    coalesce(u.uses, 0)::uinteger as reference_uses,
    coalesce(u.matched_uses, 0)::uinteger as matched_uses
from candidate as c
join reference_length as r on r.candidate_no = c.candidate_no
left join written as w on w.caption_id = c.caption_id
left join used as u on u.candidate_no = c.candidate_no
where c.image_no between $first_image::uinteger and $last_image::uinteger
order by c.candidate_no
