-- name: strong_ngram
-- version: 2
-- grain: n-gram
-- params: of_captions BIGINT, of_references DOUBLE, most_words INTEGER
-- reads: selection_frequency, vocabulary
-- returns: gram, phrase, expected
-- order: s.strength desc, phrase
--
-- The n-grams by which captions of different images match most. `expected` is how many captions should match a caption
-- of another image by it, if BLEU clips against so many references. A phrase is as strong as the n-grams in it.
with strongest as (
    select
        gram, captions * (1 - pow(1 - captions / $of_captions::bigint, $of_references::double)) as expected,
        expected * n * (n + 1) / 2 as strength
    from selection_frequency
    where images > 1 and n <= $most_words::integer
    order by strength desc, gram
    limit 1000
)
select
    s.gram::varchar as gram, concat_ws(' ', fourth.token, third.token, second.token, last.token) as phrase, s.expected
from strongest as s
join vocabulary as last on last.token_id = last_packed(s.gram)::uinteger
left join vocabulary as second on second.token_id = last_packed(s.gram >> 32)::uinteger
left join vocabulary as third on third.token_id = last_packed(s.gram >> 64)::uinteger
left join vocabulary as fourth on fourth.token_id = (s.gram >> 96)::uinteger
order by s.strength desc, phrase
