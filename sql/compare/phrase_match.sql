-- name: phrase_match
-- version: 1
-- grain: candidate, phrase
-- params: phrases VARCHAR[], first_image UINTEGER, last_image UINTEGER
-- reads: candidate, image_text, ngram_occurrence, repeated_ngram
-- returns: candidate, image, slot, place, matches, opens
--
-- How often each candidate matches its references by some n-grams, clipped as by BLEU, and whether a substitute begins
-- with one. `place` is that of the n-gram in $phrases, from 0; they are packed as in caption_gram.
with chosen as (
    select generate_subscripts($phrases::varchar[], 1) - 1 as place, unnest($phrases::varchar[])::uhugeint as gram
),
met as materialized (
    select o.text_no, o.gram_no, p.place, p.gram, o.is_once, o.holders, o.first_holder
    from ngram_occurrence as o join chosen as p on p.gram = o.gram
),
repeated as materialized (
    select r.text_no, r.gram_no, r.tf, m.place, m.gram
    from repeated_ngram as r
    join (select distinct gram_no, place, gram from met where not is_once) as m on m.gram_no = r.gram_no
),
highest as (
    select gram_no, max(pack(tf::ubigint, text_no), 2) as best from repeated where text_no & 2 = 2 group by gram_no
),
beginning as (
    select text_no, tokens[1]::uhugeint as a, tokens[2] as b, tokens[3] as c, tokens[4] as d from image_text where slot is null
),
matched as (
    select t.text_no, t.candidate_no, m.place, m.gram, 1 as matches
    from met as m join image_text as t on t.text_no = m.text_no
    where t.candidate_no is not null and m.is_once and m.holders > (m.first_holder is not distinct from t.left_out)::int
    union all
    select
        t.text_no, t.candidate_no, r.place, r.gram,
        least(r.tf, coalesce(best[case when last_packed(best[1]) is not distinct from t.left_out then 2 else 1 end] >> 32, 0))
    from repeated as r join highest as h on h.gram_no = r.gram_no join image_text as t on t.text_no = r.text_no
)
select
    c.candidate, c.image, c.slot, m.place::utinyint as place, m.matches::uinteger as matches,
    coalesce(m.gram in (s.a, pack(s.a, s.b), pack(s.a, s.b, s.c), pack(s.a, s.b, s.c, s.d)), false) as opens
from matched as m
join candidate as c on c.candidate_no = m.candidate_no
left join beginning as s on s.text_no = m.text_no
where m.matches > 0 and c.image_no between $first_image::uinteger and $last_image::uinteger
