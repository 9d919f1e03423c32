-- name: folded_collection
-- version: 1
-- grain: fold
-- reads: run_item
-- returns: fold, log_documents
-- cites: cider/pyciderevalcap: ref_len, the natural logarithm of the number of items
--
-- The number of items of each fold.
select fold, ln(sum(items)::double) as log_documents
from run_item
group by fold
