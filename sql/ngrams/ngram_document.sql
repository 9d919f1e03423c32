-- name: ngram_document
-- version: 1
-- grain: n-gram
-- reads: selection_frequency
-- returns: gram, images
--
-- Number of images of a selection that contain each n-gram.
select gram, images
from selection_frequency
