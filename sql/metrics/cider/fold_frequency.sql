-- name: fold_frequency
-- version: 1
-- grain: fold, n-gram
-- reads: document_frequency
-- returns: fold, gram, images
--
-- Document frequencies of the only fold, the same for every candidate. folded_frequency replaces it if folds differ.
select 0::uinteger as fold, gram, images
from document_frequency
