-- name: ngram_idf
-- version: 2
-- grain: n-gram of an image
-- reads: ngram_occurrence, document_frequency, collection
-- returns: gram_no, idf
-- cites: Vedantam et al. 2015, section 4, eq. 1-2; cider/pyciderevalcap: natural logarithm, df at least 1
--
-- The idf of each n-gram that an image has more than once; n-grams in every document, with weight 0, are left out.
with met as (select gram_no, any_value(gram) as gram from ngram_occurrence group by gram_no),
weighed as (
    select m.gram_no, i.log_documents - ln(greatest(coalesce(f.images, 1), 1)) as idf
    from met as m
    left join document_frequency as f on f.gram = m.gram
    cross join collection as i
)
select gram_no, idf from weighed where idf <> 0
