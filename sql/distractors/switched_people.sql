-- name: switched_people
-- version: 1
-- grain: two mentions of persons in a caption, the first and another
-- reads: mention, symmetric_link
-- returns: image, slot, split, place, right, wrong, drawn_image, drawn_slot, dropped
-- order: p.image, p.slot, p.mention
-- cites: Hodosh & Hockenmaier 2016, section 3.1, switch people
--
-- Each caption with several mentions of persons, and the same caption with the first one, the actor, and another
-- exchanged: the same words in another order. Items that would mean the same or break the sentence are left out, with
-- the first reason that applies. A group counts as singular unless a verb in the plural follows it.
with person as (
    select
        image, slot, split, text, mention, start, ends, words, inside, opens, number, chain, gender, article, points_back,
        regexp_replace(lower(words), '^((a|an|the|another|one|two|three|four|five|other|second|some|several|more|\d+)\s+)+', '') as bare,
        number = 'group' and regexp_matches(
            substr(text, ends + 1), '^\s*($|[^\w\s]|(\w+(s|ing)|in|on|at|to|with|for|from|by|while|of|near|outside|behind|through|who)\b)'
        ) as is_like_one
    from mention
    where kind = 'person'
),
pair as (
    select
        a.image, a.slot, a.split, a.text, a.opens, a.number, a.chain, a.article, a.bare,
        b.number as other_number, b.chain as other_chain, b.article as other_article, b.bare as other_bare,
        a.points_back or b.points_back as points_back, a.is_like_one or b.is_like_one as is_like_one,
        coalesce(a.gender <> b.gender, a.number <> b.number) as are_told_apart,
        regexp_matches(a.words, ' (in|wearing|with|dressed) ') or regexp_matches(b.words, ' (in|wearing|with|dressed) ') as is_clothed,
        left(a.text, a.start) as before, a.inside, substr(a.text, a.ends + 1, b.start - a.ends) as between_them,
        b.mention, b.words as other_words, substr(a.text, b.ends + 1) as after
    from person as a
    join person as b on b.image = a.image and b.slot = a.slot and b.mention > 0
    where a.mention = 0
),
linked as (
    select p.image, p.slot, p.mention, min(s.reason) as reason
    from pair as p
    join symmetric_link as s on regexp_matches(lower(trim(p.between_them)), s.pattern)
    group by all
)
select
    p.image, p.slot, p.split, '0-' || p.mention as place, p.text as right,
    p.before || if(p.opens, upper(left(p.other_words, 1)) || substr(p.other_words, 2), p.other_words) || p.between_them
    || p.inside || p.after as wrong,
    null::varchar as drawn_image, null::uinteger as drawn_slot,
    case
        when p.bare = p.other_bare then 'near-identical'
        when p.chain = p.other_chain and p.chain <> '0' then 'the same people twice'
        when p.number = 'unclear' then 'neither singular nor plural'
        when p.number <> p.other_number
            and not (p.is_like_one and 'singular' in (p.number, p.other_number)) then 'of different number'
        when l.reason is not null then l.reason
        when p.points_back then 'points back at others'
        when p.article <> p.other_article then 'one has no article'
        when p.are_told_apart and regexp_matches(lower(p.between_them || p.after), '\b(s?he|his|hers?|him|himself|herself)\b')
            then 'a pronoun tells them apart'
        when p.is_clothed and regexp_matches(
            lower(trim(p.after)) || chr(10) || lower(trim(p.between_them)),
            '(?m)^,? ?(wearing|dressed|in (a )?(red|blue|green|yellow|black|white|orange|purple|pink|brown|gray|grey|tan)) '
        ) then 'clothed twice'
        when regexp_matches(trim(p.after), '^((and|or|''s?)\b|, [\w-]+ and\b)') then 'half of a list, or an owner'
    end as dropped
from pair as p
left join linked as l using (image, slot, mention)
order by p.image, p.slot, p.mention
