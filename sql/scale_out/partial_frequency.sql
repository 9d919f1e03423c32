-- name: partial_frequency
-- version: 1
-- grain: n-gram
-- params: partitions UINTEGER
-- reads: ngram_frequency_part
-- returns: partition, high, low, images
-- order: partition, high, low
--
-- In how many images of one bucket each n-gram is, with the partition that its sum over all buckets is made in. An n-gram is
-- two halves of 64 bits, as files hold it; the partition is its remainder by the largest prime below 2^32, and what is left
-- of that, so that partitions are of equal size whatever the words.
select
    (remainder_of(gram, 4294967291) % $partitions::uinteger)::uinteger as partition,
    (gram >> 64::uhugeint)::ubigint as high,
    (gram & (first_trigram() - 1)::uhugeint)::ubigint as low,
    images
from ngram_frequency_part
order by partition, high, low
