-- name: folded_frequency
-- version: 1
-- grain: fold, n-gram
-- reads: fold_frequency_part
-- returns: fold, gram, images
--
-- Document frequencies of each fold, from the parts counted bucket by bucket.
select fold, gram, sum(images)::uinteger as images
from fold_frequency_part
group by fold, gram
