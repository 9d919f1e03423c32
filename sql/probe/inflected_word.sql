-- name: inflected_word
-- version: 1
-- grain: word of a changed caption
-- reads: reference_word, word_stem, token_count, vocabulary
-- returns: image, slot, position, token_id, token
-- cites: Vedantam et al. 2015, section 8, Gameability: with stems, the correct forms of words do not count
--
-- Each caption with another form of each word that has one: the most frequent other word of the selected captions with
-- the same stem, ties by spelling. Relation word_stem lists the words with stems.
with form as (
    select s.word, s.stem, v.token_id, t.occurrences
    from word_stem as s
    join vocabulary as v on v.token = s.word
    join token_count as t on t.token_id = v.token_id
),
other_form as (
    select
        f.token_id, o.token_id as other_id, o.word as other,
        row_number() over (partition by f.token_id order by o.occurrences desc, o.word) as place
    from form as f
    join form as o on o.stem = f.stem and o.word <> f.word
)
select w.image, w.slot, w.position, coalesce(o.other_id, w.token_id) as token_id, coalesce(o.other, w.token) as token
from reference_word as w
left join other_form as o on o.token_id = w.token_id and o.place = 1
