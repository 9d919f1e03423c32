-- name: phrase_said
-- version: 1
-- grain: caption text, kind, phrase
-- reads: compound, prepositional_phrase, listed_mention
-- returns: caption_id, kind, phrase, times
--
-- The phrases of texts that are counted by types: compounds by length, prepositional phrases by depth, negations.
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
