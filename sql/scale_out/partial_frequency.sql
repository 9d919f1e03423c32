-- name: partial_frequency
-- version: 1
-- grain: n-gram
-- params: partitions UINTEGER
-- reads: ngram_frequency_part
-- returns: partition, high, low, images
-- order: partition, high, low
--
-- The number of images of one bucket with each n-gram, and the partition that sums it over all buckets. An n-gram is
-- two halves of 64 bits, as files store it. The partition is its remainder by the largest prime below 2^32, and the
-- remainder of that, so partitions have equal size for any words.
select
    (remainder_of(gram, 4294967291) % $partitions::uinteger)::uinteger as partition,
    (gram >> 64::uhugeint)::ubigint as high,
    (gram & (first_trigram() - 1)::uhugeint)::ubigint as low,
    images
from ngram_frequency_part
order by partition, high, low
