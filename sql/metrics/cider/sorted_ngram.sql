-- name: sorted_ngram
-- version: 1
-- grain: caption text, n-gram
-- reads: numbered_ngram
-- returns: caption_id, n, gram_no, tf
-- order: caption_id, gram_no
--
-- What numbered_ngram holds, for as many metrics as ask for it: it is made once.
select caption_id, n, gram_no, tf
from numbered_ngram
order by caption_id, gram_no
