-- name: rouge_unit
-- version: 1
-- grain: text of an image, unit
-- params: skip INTEGER
-- reads: rouge_word
-- returns: text_no, unit, tf, narrow_tf
-- cites: Lin 2004, section 5; ROUGE-1.5.5.pl, createNGram, createSkipBigram
--
-- How often each unit occurs in each text: a word, or two words in order with at most $skip others between them, stored
-- as two numbers of 32 bits in one. narrow_tf counts words before the last position, and adjacent pairs.
with occurrence as (
    select text_no, word as unit, not is_last as is_narrow
    from rouge_word
    union all
    select a.text_no, pack(a.word, b.word), b.place = a.place + 1
    from rouge_word as a
    join rouge_word as b on b.text_no = a.text_no and b.place > a.place and b.place <= a.place + 1 + $skip::integer
)
select text_no, unit, count(*)::uinteger as tf, count(*) filter (where is_narrow)::uinteger as narrow_tf
from occurrence
group by text_no, unit
