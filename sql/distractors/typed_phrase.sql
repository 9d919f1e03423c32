-- name: typed_phrase
-- version: 1
-- grain: phrase
-- reads: phrase_at_work, word_class
-- returns: image, slot, split, text, position, chain, start, ends, head, link, kind, number, number_before_of
--
-- What each phrase can mention: person, scene, clothing or none of these, and its `number`: singular, plural, group, or
-- unclear ("a men", "two player"). The number of scenes is any, since they rarely have a verb, or unclear if the phrase
-- names none. `number_before_of` is the number of "NP1 of NP2" if this phrase is NP1, null if its noun forms none.
with misread as (select sort as type, alone, is_mention, word from word_class where class = 'misread'),
grouping_word as (select sort as number, word from word_class where class = 'group'),
read as (
    select
        p.image, p.slot, p.split, p.text, p.position, p.chain, p.start, p.ends, p.head, p.link, lower(p.words) as words,
        case
            when p.types = ['people'] and w.word is null and (g.number is not null or not contains(p.words, ' of ')) then 'person'
            when p.types in (['scene'], ['vehicles', 'scene']) and coalesce(w.is_mention, true) then 'scene'
            when list_contains(p.types, 'clothing') then 'clothing'
        end as kind,
        coalesce(w.is_mention, false) as is_no_place, g.number as number_of, h.number as number_before_of,
        regexp_matches(p.head, '(men|people|peoples|children|police|folk|personnel|passersby|youth)$|[^s]s$') as has_plural_head
    from phrase_at_work as p
    left join misread as w on w.type = p.types[len(p.types)] and w.word = p.head and (not w.alone or lower(p.words) = p.head)
    left join grouping_word as g on g.word = lower(regexp_extract(p.words, '(\S+) of ', 1))
    left join grouping_word as h on h.word = p.head
)
select
    image, slot, split, text, position, chain, start, ends, head, link, kind,
    case
        when kind = 'scene' then if(is_no_place, 'unclear', 'any')
        when number_of is not null then if(number_of = 'group' and not has_plural_head, 'unclear', number_of)
        when number_before_of = 'group' then 'group'
        when regexp_matches(words, '^(an?|another) ((good )?many|few|dozen|hundred|thousand) ') then 'plural'
        when regexp_matches(words, '^(a|an|one|another|this|that|each|every) ') and has_plural_head then 'unclear'
        when has_plural_head or regexp_matches(words, '\b(male|man|boy|girl|woman|mother|father) and ') then 'plural'
        when regexp_matches(words, '^(two|three|four|five|six|seven|eight|nine|ten|\d+|several|many|both|few) ') then 'unclear'
        else 'singular'
    end as number,
    number_before_of
from read
