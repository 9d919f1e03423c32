-- name: branching
-- version: 1
-- grain: word of a caption text
-- reads: parsed_word
-- returns: caption_id, position, distance, right_of_phrase, right_of_word, node_halves
-- cites: Liu 2008, section 2.2; Yngve 1960; Roark et al. 2007, section 3.1
--
-- The terms of measures of complexity, for words that are not punctuation. distance: words from a word to its head,
-- null for a root. Constituents are derived from dependencies: a word with its dependents, each with all words below
-- it, is a phrase. A word with a subject to its left is a sentence: the words up to the subject, and a verb phrase with
-- the rest. A word or its phrase is a branch of a node; right_of_word and right_of_phrase count those to its right
-- (Yngve). node_halves is twice the weight of a word's nodes in Frazier's measure: a phrase 1, a sentence 1.5.
with kept as (
    select caption_id, position, head, label, row_number() over (partition by caption_id order by position) as place
    from parsed_word
    where class <> 'punctuation' and head is not null
),
word as (
    select k.caption_id, k.position, k.place, k.label, h.place as head
    from kept as k
    left join kept as h on h.caption_id = k.caption_id and h.position = k.head
),
headed as (
    select
        caption_id, head, place,
        max(place) filter (where place < head and regexp_matches(label, '^[nc]subj'))
            over (partition by caption_id, head) as subject,
        count(*) over (partition by caption_id, head) as branches,
        count(*) over (partition by caption_id, head order by place) as nth
    from word
    where head is not null
),
sided as (
    select
        caption_id, head, place, subject,
        branches - nth as later,
        count(*) filter (where place <= subject) over (partition by caption_id, head) as before_verb
    from headed
),
branch as (
    select
        caption_id, place,
        case when place <= subject
            then before_verb - (row_number() over (partition by caption_id, head order by place)) + 1
            else later + (head > place)::integer
        end as right_of_phrase
    from sided
),
node as (
    select
        caption_id, head as place,
        count(*) filter (where place > head) as right_of_word,
        case when any_value(subject) is null then 2
            when count(*) = any_value(before_verb) then 3
            else 5
        end as node_halves
    from sided
    group by caption_id, head
)
select
    w.caption_id, w.position,
    abs(w.place::integer - w.head::integer) as distance,
    coalesce(b.right_of_phrase, 0)::integer as right_of_phrase,
    coalesce(n.right_of_word, 0)::integer as right_of_word,
    coalesce(n.node_halves, 0)::integer as node_halves
from word as w
left join branch as b on b.caption_id = w.caption_id and b.place = w.place
left join node as n on n.caption_id = w.caption_id and n.place = w.place
