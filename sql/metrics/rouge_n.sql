-- name: rouge_n
-- version: 1
-- grain: candidate
-- params: first_image UINTEGER, last_image UINTEGER
-- reads: candidate, rouge_text, rouge_hit
-- returns: candidate, image, slot, candidate_length, reference_lengths, unigrams, unigrams_before_last, pairs
-- cites: Lin 2004, section 2 and 5; ROUGE-1.5.5.pl -n, -2, -u
--
-- What a candidate shares with each of its references, in the order of their slots, and how many words each has. To sort
-- a list, what goes into it has the slot in front, and loses it again.
with pair as (
    select
        c.candidate_no,
        len(c.tokens)::uinteger as length,
        r.slot::ubigint * 4294967296 as place,
        len(r.tokens) as reference_length,
        coalesce(h.unigrams, 0) as unigrams,
        coalesce(h.unigrams_before_last, 0) as unigrams_before_last,
        coalesce(h.pairs, 0) as pairs
    from rouge_text as c
    join rouge_text as r on r.image_no = c.image_no and r.slot is distinct from c.held_out
    left join rouge_hit as h on h.candidate_no = c.candidate_no and h.slot = r.slot
    where c.candidate_no is not null and r.slot is not null
),
listed as (
    select
        candidate_no,
        any_value(length) as candidate_length,
        list_sort(list((place + reference_length)::ubigint)) as reference_lengths,
        list_sort(list((place + unigrams)::ubigint)) as unigrams,
        list_sort(list((place + unigrams_before_last)::ubigint)) as unigrams_before_last,
        list_sort(list((place + pairs)::ubigint)) as pairs
    from pair
    group by candidate_no
)
select
    c.candidate,
    c.image,
    c.slot,
    l.candidate_length,
    list_transform(l.reference_lengths, lambda x: (x & 4294967295)::uinteger) as reference_lengths,
    list_transform(l.unigrams, lambda x: (x & 4294967295)::uinteger) as unigrams,
    list_transform(l.unigrams_before_last, lambda x: (x & 4294967295)::uinteger) as unigrams_before_last,
    list_transform(l.pairs, lambda x: (x & 4294967295)::uinteger) as pairs
from candidate as c
join listed as l using (candidate_no)
where c.image_no between $first_image::uinteger and $last_image::uinteger
order by c.candidate, c.image, c.slot
