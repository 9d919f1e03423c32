-- name: text_bag
-- version: 2
-- grain: text
-- params: most_texts INTEGER
-- reads: distinct_text
-- returns: text_no, size, words, mask, rare
-- cites: Sandes, Teodoro & Melo 2020, section 3: a bitmap bounds how many words two sets share
--
-- A text as a bag of words. The second “a” of a text counts as a separate word, so bags are sets. Words are numbered by
-- how many texts contain them, the rarest first; `mask` has one bit of 126 for each, set if their number is odd.
-- The first `rare` words are in at most `most_texts` texts each.
with spoken as (select text_no, unnest(tokens) as token_id from distinct_text),
told_apart as (
    select text_no, token_id, unnest(range(1, count(*) + 1)) as nth
    from spoken
    group by text_no, token_id
),
numbered as (
    select token_id, nth, count(*) as texts, row_number() over (order by count(*), token_id, nth)::uinteger as word
    from told_apart
    group by token_id, nth
)
select
    t.text_no,
    count(*)::uinteger as size,
    list(n.word order by n.word) as words,
    bit_xor(1::hugeint << (n.word % 126)::hugeint) as mask,
    count_if(n.texts <= $most_texts::integer)::uinteger as rare
from told_apart as t
join numbered as n on n.token_id = t.token_id and n.nth = t.nth
group by t.text_no
