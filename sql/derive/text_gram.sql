-- name: text_gram
-- version: 1
-- grain: caption text, n-gram
-- reads: numbered_gram
-- returns: caption_id, n, gram_no, tf
--
-- What numbered_gram holds, for as many metrics as ask for it: it is made once.
select caption_id, n, gram_no, tf
from numbered_gram
order by caption_id, gram_no
