-- name: ngram_document
-- version: 1
-- grain: n-gram
-- reads: selection_frequency
-- returns: gram, images
--
-- In how many images of a selection each n-gram is.
select gram, images
from selection_frequency
