-- name: phrase_match
-- version: 1
-- grain: candidate, phrase
-- params: phrases VARCHAR[], first_image UINTEGER, last_image UINTEGER
-- reads: candidate, image_text, ngram_occurrence
-- returns: candidate, image, slot, place, matches, opens
-- order: c.candidate_no, m.place
--
-- How often each candidate matches its references by some n-grams, as BLEU counts it (see clipped_match), and whether it
-- begins with the n-gram. `place` is that of the n-gram in $phrases, from 0; they are packed as in caption_gram.
with chosen as (
    select generate_subscripts($phrases::varchar[], 1) - 1 as place, unnest($phrases::varchar[])::uhugeint as gram
),
level as (
    select
        o.text_no, o.gram_no, p.place, p.gram, row_number() over (partition by o.text_no, o.gram_no) as level
    from ngram_occurrence as o
    join chosen as p on p.gram = o.gram
),
held as (
    select gram_no, level, count(*) as holders, min(text_no) as first_holder
    from level
    where text_no & 2 = 2
    group by gram_no, level
),
matched as (
    select t.candidate_no, l.place, any_value(l.gram) as gram, any_value(t.tokens[:4]) as opening, count(*) as matches
    from image_text as t
    join level as l on l.text_no = t.text_no
    join held as h on h.gram_no = l.gram_no and h.level = l.level
    where t.candidate_no is not null and (h.holders > 1 or h.first_holder is distinct from t.left_out)
    group by t.candidate_no, l.place
)
select
    c.candidate, c.image, c.slot, m.place::utinyint as place, m.matches::uinteger as matches,
    list_contains(
        [a, pack(a, m.opening[2]), pack(a, m.opening[2], m.opening[3]), pack(a, m.opening[2], m.opening[3], m.opening[4])],
        m.gram
    ) as opens
from (select *, opening[1]::uhugeint as a from matched) as m
join candidate as c on c.candidate_no = m.candidate_no
where c.image_no between $first_image::uinteger and $last_image::uinteger
order by c.candidate_no, m.place
