-- name: phrases
-- version: 1
-- grain: n-gram
-- params: ref VARCHAR, tokenizer VARCHAR = 'bare'
-- reads: ngram_frequency, captions
-- returns: dataset, version, split, n, phrase, captions, images, share, weighted
-- column dataset VARCHAR: The dataset.
-- column version VARCHAR: Its version, by hash.
-- column split VARCHAR: The split; null for all.
-- column n UTINYINT: Words of the phrase, 1 to 4.
-- column phrase VARCHAR: Its words.
-- column captions UINTEGER: Captions that hold it.
-- column images UINTEGER: Images that hold it.
-- column share DOUBLE: Its share of the n-grams that captions of different images have in common, as ROUGE counts them.
-- column weighted DOUBLE: The same with the weights of CIDEr.
-- example: select phrase, round(share, 3) as share from phrases('sample-narrow') where n > 1 order by share desc, phrase limit 3
--
-- The n-grams by which captions match captions of other images, of all pairs of captions: see `auditor compare`.
select
    dataset, version, split, n, phrase, captions, images, pairs / sum(pairs) over () as share,
    pairs * weight / sum(pairs * weight) over () as weighted
from (
    select
        dataset, version, split, n, gram as phrase, captions, images, captions::double * captions as pairs,
        pow(ln((select count(distinct image) from captions($ref)) / images), 2) as weight
    from ngram_frequency($ref, $tokenizer)
    where images > 1
)
