-- name: known_word
-- version: 1
-- grain: word
-- params: known_words INTEGER
-- reads: learnt_caption, vocabulary
-- returns: token_id, word_no, captions, weight
-- order: word_no
--
-- The words that a model of captions knows, numbered from 0: words of at least two training captions, at most
-- $known_words of them, the most frequent first. `weight` is the inverse document frequency, ln((1 + N) / (1 + n)) + 1.
with holder as (select unnest(list_distinct(tokens)) as token_id from learnt_caption),
counted as (select token_id, count(*)::uinteger as captions from holder group by token_id having count(*) > 1)
select
    c.token_id,
    (row_number() over (order by c.captions desc, v.token) - 1)::uinteger as word_no,
    c.captions,
    ln((1 + (select count(*) from learnt_caption)) / (1 + c.captions)) + 1 as weight
from counted as c
join vocabulary as v using (token_id)
qualify word_no < $known_words::integer
order by word_no
