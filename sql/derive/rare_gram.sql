-- name: rare_gram
-- version: 1
-- grain: n-gram
-- reads: document_frequency, collection
-- returns: gram, idf
-- cites: Vedantam et al. 2015, section 4, eq. 1-2; cider/pyciderevalcap: natural logarithm, df at least 1
--
-- The n-grams that weigh anything: one that every document holds has no idf and is left out.
select f.gram, i.log_documents - ln(f.images) as idf
from document_frequency as f
cross join collection as i
where i.log_documents > ln(f.images)
