-- name: recall_by_word
-- version: 1
-- grain: word of an importance
-- params: importance UINTEGER
-- reads: local_recall_word, vocabulary
-- returns: word, missed, recalled
-- order: word
-- cites: van Miltenburg et al. 2018, section 3.4
--
-- How often a word that so many references of an image hold is missed by the candidate, and how often it is recalled.
select v.token as word, count(*) filter (where not t.recalled) as missed, count(*) filter (where t.recalled) as recalled
from local_recall_word as t
join vocabulary as v using (token_id)
where t.importance = $importance::uinteger
group by v.token
order by word
