-- name: repeated_ngram
-- version: 1
-- grain: text of an image, n-gram
-- reads: ngram_occurrence
-- returns: text_no, n, gram_no, tf
--
-- How often texts have the n-grams that a text of the image may have twice. They have all others once.
select text_no, n, gram_no, count(*)::uinteger as tf
from ngram_occurrence
where not is_once
group by text_no, n, gram_no
