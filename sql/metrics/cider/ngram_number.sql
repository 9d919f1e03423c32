-- name: ngram_number
-- version: 1
-- grain: n-gram
-- reads: text_ngram
-- returns: gram, gram_no
--
-- The n-grams of the texts at work in one bucket of images, numbered from 0, for a kernel that walks sorted texts.
select gram, (row_number() over (order by gram) - 1)::uinteger as gram_no
from text_ngram
group by gram
