-- name: inflected_text
-- version: 1
-- grain: held-out caption
-- params: label VARCHAR, last_text UINTEGER
-- reads: reference, reference_word, word_stem, token_count, vocabulary
-- returns: candidate, image, slot, caption_id, tokens, text
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
),
gathered as (
    select
        w.image, w.slot,
        list(coalesce(o.other_id, w.token_id) order by w.position) as tokens,
        string_agg(coalesce(o.other, w.token), ' ' order by w.position) as text
    from reference_word as w
    left join other_form as o on o.token_id = w.token_id and o.place = 1
    group by w.image, w.slot
)
select
    $label::varchar as candidate,
    r.image,
    r.slot,
    ($last_text::uinteger + row_number() over (order by r.image, r.slot))::uinteger as caption_id,
    coalesce(g.tokens, []::uinteger[]) as tokens,
    coalesce(g.text, '') as text
from reference as r
left join gathered as g on g.image = r.image and g.slot = r.slot
