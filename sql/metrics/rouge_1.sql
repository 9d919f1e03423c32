-- name: rouge_1
-- version: 1
-- grain: candidate
-- params: first_image UINTEGER, last_image UINTEGER
-- reads: candidate, reference, rouge_unigram
-- returns: candidate, image, slot, hits, candidate_total, reference_total, reference_count
-- cites: Lin 2004, section 2; ROUGE-1.5.5.pl -n 1 -f A: hits and totals are summed over the references
--
-- Clipped unigram hits, each reference on its own, then summed.
with total as (
    select caption_id, sum(tf)::uinteger as words
    from rouge_unigram
    group by caption_id
),
pair as (
    select c.candidate_no, c.caption_id, r.slot, r.caption_id as reference_id
    from candidate as c
    join reference as r on r.image_no = c.image_no and r.slot is distinct from c.held_out
    where c.image_no between $first_image::uinteger and $last_image::uinteger
),
pooled as (
    select p.candidate_no, count(*)::uinteger as reference_count, coalesce(sum(t.words), 0)::uinteger as reference_total
    from pair as p
    left join total as t on t.caption_id = p.reference_id
    group by p.candidate_no
),
candidate_word as (
    select c.candidate_no, c.image_no, c.held_out, u.word, u.tf
    from candidate as c
    join rouge_unigram as u using (caption_id)
    where c.image_no between $first_image::uinteger and $last_image::uinteger
),
reference_word as (
    select r.image_no, r.slot, u.word, u.tf
    from reference as r
    join rouge_unigram as u using (caption_id)
    where r.image_no between $first_image::uinteger and $last_image::uinteger
),
hit as (
    select c.candidate_no, sum(least(c.tf, r.tf))::uinteger as hits
    from candidate_word as c
    join reference_word as r
        on r.image_no = c.image_no and r.word = c.word and r.slot is distinct from c.held_out
    group by c.candidate_no
)
select
    c.candidate,
    c.image,
    c.slot,
    coalesce(h.hits, 0)::uinteger as hits,
    coalesce(t.words, 0)::uinteger as candidate_total,
    p.reference_total,
    p.reference_count
from candidate as c
join pooled as p using (candidate_no)
left join total as t on t.caption_id = c.caption_id
left join hit as h on h.candidate_no = c.candidate_no
order by c.candidate, c.image, c.slot
