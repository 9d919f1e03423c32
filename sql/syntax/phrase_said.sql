-- name: phrase_said
-- version: 1
-- grain: caption text, kind, phrase
-- reads: compound, prepositional_phrase, listed_mention
-- returns: caption_id, kind, phrase, times
--
-- What texts say that is counted by types: compounds by their length, prepositional phrases by their depth, what negates.
select caption_id, 'compound-' || words as kind, compound as phrase, count(*)::uinteger as times
from compound
group by all
union all
select caption_id, 'pp-' || depth as kind, phrase, count(*)::uinteger as times
from prepositional_phrase
group by all
union all
select caption_id, list as kind, phrase, count(*)::uinteger as times
from listed_mention
where list = 'negation'
group by all
