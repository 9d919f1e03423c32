-- name: pooled_frequency
-- version: 2
-- grain: n-gram
-- reads: pooled_gram
-- returns: gram, images
-- cites: Wang & Gaizauskas 2016, section 3, note 7
--
-- In how many images of several selections together each n-gram is, from what was counted of each of them.
select gram, sum(images)::uinteger as images
from pooled_gram
group by gram
