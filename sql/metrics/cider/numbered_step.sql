-- name: numbered_step
-- version: 1
-- grain: n-gram, number of references
-- reads: ngram_number, ngram_step
-- returns: gram_no, step, images
-- order: i.gram_no, s.step
--
-- As ngram_step, of the n-grams at work in one bucket of images, by their numbers there.
select i.gram_no, s.step, s.images
from ngram_step as s
join ngram_number as i using (gram)
order by i.gram_no, s.step
