-- name: kept_frequency
-- version: 1
-- grain: n-gram
-- params: version VARCHAR, tokenizer VARCHAR
-- reads: cache.ngram_frequency
-- returns: n, gram, occurrences, captions, images
--
-- N-gram frequencies of a whole version, kept by an earlier count.
select n, gram, occurrences, captions, images
from cache.ngram_frequency
where version = $version::varchar and tokenizer = $tokenizer::varchar
