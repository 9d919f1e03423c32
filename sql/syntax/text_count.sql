-- name: text_count
-- version: 1
-- grain: caption text, what is counted
-- reads: parsed_word, compound, prepositional_phrase, branching, word_above, listed_mention
-- returns: caption_id, counted, number
--
-- The counts of each text above 0: words and first words by part of speech, compounds, prepositional phrases, words of
-- lists, contractions (words with an apostrophe, but no possessives). Also sums for complexity, Frazier's in halves.
with opening as (
    select caption_id, arg_min(class, position) as class
    from parsed_word
    where class <> 'punctuation'
    group by caption_id
),
yngve as (
    select b.caption_id, sum(b.right_of_word + p.right_of_phrases) as number
    from branching as b
    join (
        select a.caption_id, a.position, sum(h.right_of_phrase) as right_of_phrases
        from word_above as a
        join branching as h on h.caption_id = a.caption_id and h.position = a.above
        group by a.caption_id, a.position
    ) as p on p.caption_id = b.caption_id and p.position = b.position
    group by b.caption_id
),
counts as (
    select caption_id, class as counted, count(*) as number from parsed_word group by all
    union all
    select caption_id, 'word', count(*) from parsed_word where class <> 'punctuation' group by all
    union all
    select caption_id, 'opening-' || class, 1 from opening
    union all
    select caption_id, 'opened', 1 from opening
    union all
    select caption_id, 'possessive', count(*) from parsed_word where tag in ('POS', 'PRP$', 'WP$') group by all
    union all
    select caption_id, 'contraction', count(*) from parsed_word
    where contains(word, '''') and tag <> 'POS' and class <> 'punctuation' and word <> 'o''clock'
    group by all
    union all
    select caption_id, list, count(*) from listed_mention group by all
    union all
    select distinct caption_id, 'negated', 1 from listed_mention where list = 'negation'
    union all
    select caption_id, 'compound', count(*) from compound group by all
    union all
    select caption_id, 'compound-' || least(words, 5), count(*) from compound group by all
    union all
    select caption_id, 'tagged-preposition', count(*) from parsed_word where tag = 'IN' group by all
    union all
    select caption_id, 'pp-' || least(depth, 6), count(*) from prepositional_phrase group by all
    union all
    select caption_id, 'dependency', count(distance) from branching group by all
    union all
    select caption_id, 'distance', sum(distance) from branching group by all having sum(distance) > 0
    union all
    select caption_id, 'parsed-word', count(*) from branching group by all
    union all
    select caption_id, 'yngve', number from yngve
    union all
    select caption_id, 'frazier-half', sum(node_halves) from branching group by all
)
select caption_id, counted, number::ubigint as number
from counts
