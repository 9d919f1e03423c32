-- name: fold_frequency
-- version: 1
-- grain: fold, n-gram
-- reads: document_frequency
-- returns: fold, gram, images
--
-- Document frequencies that are the same for every candidate, as those of the only fold. folded_frequency replaces it
-- if they differ between folds.
select 0::uinteger as fold, gram, images
from document_frequency
