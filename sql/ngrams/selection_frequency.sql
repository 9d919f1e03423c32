-- name: selection_frequency
-- version: 1
-- grain: n-gram
-- reads: ngram_frequency_part
-- returns: n, gram, occurrences, captions, images
-- cites: Vedantam et al. 2015, section 4, eq. 1 (images: the document frequency)
--
-- N-gram frequencies of all selected captions, from the parts counted bucket by bucket.
select
    n, gram, sum(occurrences)::uinteger as occurrences, sum(captions)::uinteger as captions, sum(images)::uinteger as images
from ngram_frequency_part
group by n, gram
