-- name: chunk_phrase
-- version: 1
-- grain: phrase
-- reads: noun_chunk, person_word, place_word, clothing_word, group_word
-- returns: image, slot, split, text, position, chain, types, start, ends, words, head, link
--
-- The noun chunks of captions as phrases, as if somebody had marked them. What they are of, lists of words tell by the last; a
-- group of what is no people is none. Who is meant twice, nobody says: where all captions of an image mention people once, and
-- none a man where another has a woman, they are taken for the same, chain 1; and so is "the man" for a man before, whose chain is
-- named by the word; of others it is 0.
with listed as (
    select unnest(words) as word, 'people' as type, false as after_preposition from person_word
    union all
    select unnest(words), 'scene', after_preposition from place_word
    union all
    select unnest(words), 'clothing', false from clothing_word
),
form as (
    select
        head, unnest(list_distinct([
            head, regexp_replace(head, 's$', ''), regexp_replace(head, 'es$', ''), regexp_replace(head, 'ies$', 'y'),
            regexp_replace(head, 'men$', 'man')
        ])) as word
    from (select distinct head from noun_chunk)
),
named as (
    select f.head, min(l.type) as type, bool_or(l.after_preposition) as after_preposition
    from form as f
    join listed as l on l.word = f.word
    group by f.head
    having count(distinct l.type) = 1
),
grouping_word as (select unnest(words) as word from group_word),
typed as (
    select
        c.image, c.slot, c.split, c.text, c.position, c.start, c.ends, c.words, c.head, c.link,
        if(
            n.after_preposition and not regexp_matches(c.link, '\b(in|on|at|near|through|into|by|along|from|onto|inside|under|of|off)$'),
            'other', coalesce(n.type, 'other')
        ) as type,
        g.word is not null and coalesce(lead(c.link) over caption = 'of', false) as goes_on_of,
        coalesce(lead(n.type) over caption = 'people', false) as is_before_people
    from noun_chunk as c
    left join named as n on n.head = c.head
    left join grouping_word as g on g.word = c.head
    window caption as (partition by c.image, c.slot order by c.position)
),
told as (
    select
        image, slot, split, text, position, start, ends, words, head, link, type,
        type = 'people' and not (goes_on_of and not is_before_people) and not regexp_matches(lower(words), '\bgerman shepherds?$')
            as is_people,
        is_people and not (link = 'of' and lag(goes_on_of) over (partition by image, slot order by position)) as is_mention
    from typed
),
counted as (
    select
        image, slot, split, text, position, start, ends, words, head, link, type, is_people,
        count(*) filter (where is_mention) over (partition by image, slot) as mentions,
        bool_or(position > 1 and is_people and starts_with(lower(words), 'the ')) over (partition by image, slot, head)
            and count(*) filter (where is_people) over (partition by image, slot, head) > 1 as is_said_again,
        bool_or(is_people and regexp_matches(lower(words), '\b(wom[ae]n|girls?|females?|lad(y|ies))\b')) over (partition by image)
            and bool_or(is_people and regexp_matches(lower(words), '\b(m[ae]n|boys?|males?|guys?)\b')) over (partition by image)
            as is_of_both_genders
    from told
)
select
    image, slot, split, text, position,
    case
        when not is_people then '0'
        when is_said_again then head
        when max(mentions) over (partition by image) = 1 and not is_of_both_genders then '1'
        else '0'
    end as chain,
    [if(type = 'people' and not is_people, 'other', type)] as types, start, ends, words, head, link
from counted
