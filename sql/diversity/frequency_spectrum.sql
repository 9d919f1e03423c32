-- name: frequency_spectrum
-- version: 1
-- grain: list, frequency
-- reads: list_gram
-- returns: list_no, occurrences, types
-- order: list_no, occurrences desc
-- cites: Yule 1944: how many types occur once, twice, …
--
-- The frequency spectrum of the words of each list, the most frequent first.
select list_no, occurrences, count(*) as types
from list_gram
where n = 1
group by list_no, occurrences
order by list_no, occurrences desc
