-- name: listed_mention
-- version: 1
-- grain: position in a caption text, list
-- reads: parsed_word, listed_phrase
-- returns: caption_id, position, list, phrase
--
-- The positions of words or word sequences of a list (colors, numbers, spatial relations, negations). The longest
-- match counts: "in front of" but not its "in", "no one" but not "one". Numbers in digits are of list number.
with placed as (
    select caption_id, position, word, list(word) over following as words
    from parsed_word
    window following as (partition by caption_id order by position rows between current row and 4 following)
),
met as (
    select p.caption_id, p.position, l.list, l.phrase, len(l.words) as length
    from placed as p
    join listed_phrase as l on l.words[1] = p.word and l.words = p.words[1:len(l.words)]
    union all
    select caption_id, position, 'number', word, 1 from placed where regexp_full_match(word, '[0-9]+')
)
select m.caption_id, m.position, m.list, m.phrase
from met as m
anti join met as longer
    on longer.caption_id = m.caption_id and longer.length > m.length
    and longer.position <= m.position and longer.position + longer.length >= m.position + m.length
