-- name: fold_collection
-- version: 1
-- grain: fold
-- reads: collection
-- returns: fold, log_documents
--
-- The number of documents, as that of the only fold; or folded_collection in its place.
select 0::uinteger as fold, log_documents
from collection
