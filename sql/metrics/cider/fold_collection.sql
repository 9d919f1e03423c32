-- name: fold_collection
-- version: 1
-- grain: fold
-- reads: collection
-- returns: fold, log_documents
--
-- The number of documents, as that of the only fold. folded_collection replaces it if there are several.
select 0::uinteger as fold, log_documents
from collection
