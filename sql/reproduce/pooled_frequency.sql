-- name: pooled_frequency
-- version: 2
-- grain: n-gram
-- reads: ngram_document
-- returns: gram, images
-- cites: Wang & Gaizauskas 2016, section 3, note 7
--
-- Add up the number of images that contain each n-gram over several selections, from the counts of each.
select gram, sum(images)::uinteger as images
from ngram_document
group by gram
