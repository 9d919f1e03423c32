-- name: placed_gram
-- version: 1
-- grain: list, n-gram
-- params: partitions UINTEGER
-- reads: list_gram
-- returns: partition, list_no, n, high, low, occurrences
-- order: partition, list_no, high, low
--
-- The n-grams of each list of a bucket, in partitions where equal ones of all buckets meet, as in partial_frequency.
select
    (remainder_of(gram, 4294967291) % $partitions::uinteger)::uinteger as partition,
    list_no, n::utinyint as n,
    (gram >> 64::uhugeint)::ubigint as high,
    (gram & (first_trigram() - 1)::uhugeint)::ubigint as low,
    occurrences
from list_gram
order by partition, list_no, high, low
