-- name: idf_square
-- version: 1
-- grain: n-gram
-- reads: document_frequency, collection
-- returns: gram, square
--
-- The square of the idf, in units of 2^-70, of each n-gram in more than one document. All others, which most are, have
-- the idf of a single document and need no lookup.
select
    f.gram,
    (power(i.log_documents - ln(f.images), 2) * square_scale())::hugeint as square
from document_frequency as f
cross join collection as i
where f.images > 1
