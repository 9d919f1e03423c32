-- name: numbered_gram
-- version: 1
-- grain: caption text, n-gram
-- reads: caption_gram, gram_number
-- returns: caption_id, n, gram_no, tf
--
-- As caption_gram, with numbers in place of n-grams, each text sorted by them.
select g.caption_id, g.n, i.gram_no, g.tf
from caption_gram as g
join gram_number as i using (gram)
order by g.caption_id, i.gram_no
