-- name: numbered_ngram
-- version: 1
-- grain: caption text, n-gram
-- reads: text_ngram, ngram_number
-- returns: caption_id, n, gram_no, tf
-- order: g.caption_id, i.gram_no
--
-- As caption_gram, with numbers in place of n-grams, each text sorted by them.
select g.caption_id, g.n, i.gram_no, g.tf
from text_ngram as g
join ngram_number as i using (gram)
order by g.caption_id, i.gram_no
