-- name: growing_rouge_n
-- version: 1
-- grain: candidate, number of references
-- params: skip INTEGER
-- reads: candidate, image_text, rouge_match, reference_turn
-- returns: references, candidate, image, slot, length, words, beginnings, pairs, unigrams, unigrams_before_last, bigrams, skip_bigrams
-- order: t.turn, c.candidate_no
-- cites: Lin 2004, section 2 and 5; ROUGE-1.5.5.pl -n, -2, -u, -f A
--
-- The counts of `rouge_n` at each number of references, which is their reference_count, by adding those of each reference.
with hit as (
    select
        t.candidate_no, t.turn,
        count(*) filter (c.unit < first_bigram()) as unigrams,
        count(*) filter (c.unit < first_bigram() and c.is_narrow and r.is_narrow) as unigrams_before_last,
        count(*) filter (c.unit >= first_bigram() and c.is_narrow and r.is_narrow) as bigrams,
        count(*) filter (c.unit >= first_bigram()) as skip_bigrams
    from rouge_match as c
    join image_text as i on i.text_no = c.text_no and i.candidate_no is not null
    join rouge_match as r on r.unit = c.unit and r.occurrence = c.occurrence
    join reference_turn as t on t.candidate_no = i.candidate_no and t.text_no = r.text_no
    group by t.candidate_no, t.turn
),
total as (
    select
        text_no, candidate_no, len(tokens) as words, greatest(len(tokens) - 1, 0) as beginnings,
        least(len(tokens), $skip::integer + 1) as short
    from image_text
)
select
    t.turn as references, c.candidate, c.image, c.slot, o.words::uinteger as length,
    (sum(r.words) over so_far)::uinteger as words,
    (sum(r.beginnings) over so_far)::uinteger as beginnings,
    (sum(r.short * (r.short - 1) // 2 + ($skip::integer + 1) * (r.words - r.short)) over so_far)::uinteger as pairs,
    coalesce(sum(h.unigrams) over so_far, 0)::uinteger as unigrams,
    coalesce(sum(h.unigrams_before_last) over so_far, 0)::uinteger as unigrams_before_last,
    coalesce(sum(h.bigrams) over so_far, 0)::uinteger as bigrams,
    coalesce(sum(h.skip_bigrams) over so_far, 0)::uinteger as skip_bigrams
from reference_turn as t
join candidate as c on c.candidate_no = t.candidate_no
join total as o on o.candidate_no = t.candidate_no
join total as r on r.text_no = t.text_no
left join hit as h on h.candidate_no = t.candidate_no and h.turn = t.turn
window so_far as (partition by t.candidate_no order by t.turn)
order by t.turn, c.candidate_no
