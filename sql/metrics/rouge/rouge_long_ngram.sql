-- name: rouge_long_ngram
-- version: 1
-- grain: candidate
-- params: first_image UINTEGER, last_image UINTEGER
-- reads: candidate, image_text, ngram_occurrence, repeated_ngram
-- returns: candidate, image, slot, length, reference_count, trigram_places, four_gram_places, trigrams, four_grams
-- order: c.candidate_no
-- cites: Lin 2004, section 2; ROUGE-1.5.5.pl -n 4 -f A
--
-- Each candidate against all its references together: its words, the trigrams and four-grams of the references, and
-- the common ones, clipped reference by reference: the k-th occurrence of an n-gram is found in each reference that has
-- it k times. The held-out caption is left out.
with level as (
    select text_no, n, gram_no, 1 as level from ngram_occurrence where is_once and n > 2
    union all
    select text_no, n, gram_no, unnest(range(1, tf + 1)) from repeated_ngram where n > 2
),
held as (select gram_no, level, count(*) as holders from level where text_no & 2 = 2 group by gram_no, level),
hit as (
    select
        t.text_no,
        sum(h.holders - (o.text_no is not null)::int) filter (where l.n = 3) as trigrams,
        sum(h.holders - (o.text_no is not null)::int) filter (where l.n = 4) as four_grams
    from image_text as t
    join level as l on l.text_no = t.text_no
    join held as h on h.gram_no = l.gram_no and h.level = l.level
    left join level as o on o.text_no = t.left_out and o.gram_no = l.gram_no and o.level = l.level
    where t.candidate_no is not null
    group by t.text_no
),
measured as (
    select
        text_no, image_no, slot, candidate_no, left_out, len(tokens) as words,
        greatest(len(tokens) - 2, 0) as trigram_places, greatest(len(tokens) - 3, 0) as four_gram_places
    from image_text
),
described as (
    select image_no, count(*) as texts, sum(trigram_places) as trigram_places, sum(four_gram_places) as four_gram_places
    from measured
    where slot is not null
    group by image_no
)
select
    c.candidate, c.image, c.slot, m.words::uinteger as length,
    (d.texts - (o.text_no is not null)::int)::uinteger as reference_count,
    (d.trigram_places - coalesce(o.trigram_places, 0))::uinteger as trigram_places,
    (d.four_gram_places - coalesce(o.four_gram_places, 0))::uinteger as four_gram_places,
    coalesce(h.trigrams, 0)::uinteger as trigrams,
    coalesce(h.four_grams, 0)::uinteger as four_grams
from measured as m
join candidate as c on c.candidate_no = m.candidate_no
join described as d on d.image_no = m.image_no
left join measured as o on o.text_no = m.left_out
left join hit as h on h.text_no = m.text_no
where c.image_no between $first_image::uinteger and $last_image::uinteger and d.texts > (o.text_no is not null)::int
order by c.candidate_no
