-- name: prepositional_phrase
-- version: 1
-- grain: preposition of a caption text
-- reads: parsed_word, word_above
-- returns: caption_id, position, depth, phrase
-- cites: van Miltenburg et al. 2018, section 4
--
-- Prepositional phrases: every preposition (tag IN) with all words below it. Its depth is its number of prepositions,
-- with its own: "on top of a pan on a table" has 3, for either head of the second "on", as in the authors' code.
select
    h.caption_id, h.position,
    (count(*) filter (where w.tag = 'IN'))::uinteger as depth,
    string_agg(w.word, ' ' order by w.position) as phrase
from parsed_word as h
join word_above as a on a.caption_id = h.caption_id and a.above = h.position
join parsed_word as w on w.caption_id = a.caption_id and w.position = a.position
where h.tag = 'IN'
group by h.caption_id, h.position
