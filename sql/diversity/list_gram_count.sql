-- name: list_gram_count
-- version: 1
-- grain: list, n-gram order
-- reads: list_gram
-- returns: list_no, n, types, occurrences
-- order: list_no, n
--
-- The number of n-grams of each list, and of different ones.
select list_no, n, count(*) as types, sum(occurrences)::bigint as occurrences
from list_gram
group by list_no, n
order by list_no, n
