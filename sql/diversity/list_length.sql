-- name: list_length
-- version: 1
-- grain: list
-- reads: list_caption
-- returns: list_no, captions, wordless, tokens, squares
-- order: list_no
-- merges: sum captions, wordless, tokens, squares
--
-- The number of captions of each list, and their lengths as whole numbers, for an exact mean and standard deviation.
select
    list_no, count(*) as captions, count(*) filter (where length = 0) as wordless, sum(length)::bigint as tokens,
    sum(length::bigint * length)::bigint as squares
from list_caption
group by list_no
order by list_no
