-- name: recall_by_word
-- version: 1
-- grain: word of an importance
-- params: importance UINTEGER
-- reads: local_recall_word, vocabulary
-- returns: word, missed, recalled
-- order: word
-- cites: van Miltenburg et al. 2018, section 3.4
--
-- How often the candidate misses a word that at least so many references of an image have, and how often it recalls it.
select v.token as word, count(*) filter (where not t.recalled) as missed, count(*) filter (where t.recalled) as recalled
from local_recall_word as t
join vocabulary as v using (token_id)
where t.importance = $importance::uinteger
group by v.token
order by word
