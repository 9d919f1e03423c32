-- name: sameness
-- version: 1
-- grain: list
-- reads: list_length, list_word
-- returns: list_no, captions, words, pairs
-- order: n.list_no
--
-- The whole numbers of sameness: the captions of each list, their different words summed over captions, and the pairs
-- of captions that share a word, in both directions, summed over words: df (df - 1) for a word in df captions.
with shared as (
    select list_no, sum(captions)::bigint as words, sum(captions::bigint * (captions::bigint - 1))::bigint as pairs
    from list_word
    group by list_no
)
select n.list_no, n.captions, coalesce(s.words, 0) as words, coalesce(s.pairs, 0) as pairs
from list_length as n
left join shared as s using (list_no)
order by n.list_no
