-- name: novel_type
-- version: 1
-- grain: list
-- reads: list_gram, trained_word
-- returns: list_no, types, novel
-- order: g.list_no
--
-- The number of different words of each list, and of those that are not in the training data.
select g.list_no, count(*) as types, count(*) filter (where t.token_id is null) as novel
from list_gram as g
left join trained_word as t on t.token_id = g.gram
where g.n = 1
group by g.list_no
order by g.list_no
