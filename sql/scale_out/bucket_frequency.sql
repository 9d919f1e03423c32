-- name: bucket_frequency
-- version: 1
-- grain: n-gram
-- reads: summed_frequency
-- returns: gram, images
--
-- The n-grams of one bucket that more than one image has, packed as in caption_gram.
select (high::uhugeint << 64::uhugeint) + low as gram, images
from summed_frequency
