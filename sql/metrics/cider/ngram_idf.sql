-- name: ngram_idf
-- version: 1
-- grain: image, caption text, n-gram
-- reads: image_ngram, document_frequency, collection
-- returns: image_no, caption_id, n, gram, tf, idf
-- cites: Vedantam et al. 2015, section 4, eq. 1-2; cider/pyciderevalcap: natural logarithm, df at least 1
--
-- As image_ngram, with the idf of each n-gram.
select g.image_no, g.caption_id, g.n, g.gram, g.tf, i.log_documents - ln(greatest(coalesce(f.images, 1), 1)) as idf
from image_ngram as g
left join document_frequency as f on f.gram = g.gram
cross join collection as i
