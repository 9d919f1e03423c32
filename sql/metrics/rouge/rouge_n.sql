-- name: rouge_n
-- version: 2
-- grain: candidate
-- params: skip INTEGER, first_image UINTEGER, last_image UINTEGER
-- reads: candidate, image_text, rouge_match
-- returns: candidate, image, slot, length, reference_count, words, beginnings, pairs, unigrams, unigrams_before_last, bigrams, skip_bigrams
-- order: c.candidate_no
-- cites: Lin 2004, section 2 and 5; ROUGE-1.5.5.pl -n, -2, -u, -f A
--
-- Each candidate against all its references together: its words; the words of the references, those that begin a
-- bigram, and pairs with at most $skip others between; the common units, clipped reference by reference. Units of the
-- held-out caption are subtracted: for that caption itself, each unit once.
with held_out as (
    select c.text_no, c.unit, r.is_narrow and c.is_narrow as is_narrow, 1 as holders
    from image_text as t
    join rouge_match as c on c.text_no = t.text_no
    join rouge_match as r on r.text_no = t.left_out and r.unit = c.unit and r.occurrence = c.occurrence
    where t.left_out <> t.text_no
),
shared as (
    select
        text_no, unit, holders - (text_no & 3 = 3)::int as holders,
        case when is_narrow then narrow_holders - (text_no & 3 = 3)::int else 0 end as narrow_holders
    from rouge_match
    where text_no & 1 = 1
    union all
    select text_no, unit, -holders, case when is_narrow then -holders else 0 end from held_out
),
hit as (
    select
        text_no,
        sum(holders) filter (unit < first_bigram()) as unigrams,
        sum(narrow_holders) filter (unit < first_bigram()) as unigrams_before_last,
        sum(narrow_holders) filter (unit >= first_bigram()) as bigrams,
        sum(holders) filter (unit >= first_bigram()) as skip_bigrams
    from shared
    group by text_no
),
measured as (
    select
        text_no, image_no, slot, len(tokens) as words, greatest(len(tokens) - 1, 0) as beginnings,
        least(len(tokens), $skip::integer + 1) as short
    from image_text
),
total as (
    select
        text_no, image_no, slot, words, beginnings,
        short * (short - 1) // 2 + ($skip::integer + 1) * (words - short) as pairs from measured
),
described as (
    select image_no, count(*) as texts, sum(words) as words, sum(beginnings) as beginnings, sum(pairs) as pairs
    from total
    where slot is not null
    group by image_no
)
select
    c.candidate, c.image, c.slot,
    len(t.tokens)::uinteger as length,
    (d.texts - (o.text_no is not null)::int)::uinteger as reference_count,
    (d.words - coalesce(o.words, 0))::uinteger as words,
    (d.beginnings - coalesce(o.beginnings, 0))::uinteger as beginnings,
    (d.pairs - coalesce(o.pairs, 0))::uinteger as pairs,
    coalesce(h.unigrams, 0)::uinteger as unigrams,
    coalesce(h.unigrams_before_last, 0)::uinteger as unigrams_before_last,
    coalesce(h.bigrams, 0)::uinteger as bigrams,
    coalesce(h.skip_bigrams, 0)::uinteger as skip_bigrams
from image_text as t
join candidate as c on c.candidate_no = t.candidate_no
join described as d on d.image_no = t.image_no
left join total as o on o.text_no = t.left_out
left join hit as h on h.text_no = t.text_no
where c.image_no between $first_image::uinteger and $last_image::uinteger and d.texts > (o.text_no is not null)::int
order by c.candidate_no
