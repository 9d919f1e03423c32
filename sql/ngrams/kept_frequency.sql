-- name: kept_frequency
-- version: 1
-- grain: n-gram
-- params: version VARCHAR, tokenizer VARCHAR
-- reads: cache.ngram_frequency
-- returns: n, gram, occurrences, captions, images
--
-- N-gram frequencies of a whole version, as an earlier counting kept them.
select n, gram, occurrences, captions, images
from cache.ngram_frequency
where version = $version::varchar and tokenizer = $tokenizer::varchar
