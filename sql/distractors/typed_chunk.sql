-- name: typed_chunk
-- version: 1
-- grain: noun chunk
-- reads: noun_chunk, word_class
-- returns: image, slot, split, text, position, type, is_of_last, start, ends, words, head, link
--
-- The types of noun chunks, by lists of last words: person, scene, clothing or other. A group of other things has no
-- type. `is_of_last` marks a chunk that completes a group before it. "A field of grass" is one scene; "grass" and
-- "water" after "of" or "with" are none; "a pink" is the rest of a dress after a parsing error.
with listed as (
    select
        word, case class when 'person' then 'people' when 'place' then 'scene' else class end as type,
        coalesce(sort = 'after a preposition', false) as after_preposition, coalesce(sort = 'color', false) as is_color
    from word_class
    where class in ('person', 'place', 'clothing')
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
    select
        f.head, min(l.type) as type, bool_or(l.after_preposition) as after_preposition, bool_or(l.is_color) as is_color
    from form as f
    join listed as l on l.word = f.word
    group by f.head
    having count(distinct l.type) = 1
),
followed as (
    select
        image, slot, split, text, position, start, ends, words, head, link,
        regexp_matches(link, '\b(in|on|at|near|through|into|by|along|from|onto|inside|under|of|off)$') as is_after_preposition,
        regexp_matches(link, '\b(of|with)$') and not regexp_matches(lower(words), '^(an?|the) |s$') as is_what_it_is_made_of,
        lead(link) over caption = 'of' as goes_on_of,
        not regexp_matches(lead(lower(words)) over caption, '^(an?|the|one|two|his|her|their|its) ') as goes_on_bare,
        lead(ends) over caption as next_ends, lead(head) over caption as next_head
    from noun_chunk
    window caption as (partition by image, slot order by position)
),
typed as (
    select
        f.image, f.slot, f.split, f.text, f.position, f.start, f.head, f.link, g.word is not null and f.goes_on_of as is_group_of,
        case
            when n.type = 'scene' and (n.after_preposition and not f.is_after_preposition or f.is_what_it_is_made_of) then 'other'
            when is_group_of and (n.type <> 'people' or o.type is distinct from 'people') then 'other'
            when n.is_color and regexp_matches(lower(f.words), '^an? ') then 'other'
            when regexp_matches(lower(f.words), '\b(german shepherd|dog team)s?$') then 'other'
            else coalesce(n.type, 'other')
        end as type,
        if(n.type = 'scene' and not is_group_of and f.goes_on_of and f.goes_on_bare, f.next_ends, f.ends) as ends
    from followed as f
    left join named as n on n.head = f.head
    left join named as o on o.head = f.next_head
    left join (select distinct word from word_class where class = 'group') as g on g.word = f.head
)
select
    image, slot, split, text, position, type,
    coalesce(lag(is_group_of) over (partition by image, slot order by position), false) as is_of_last,
    start, ends, substr(text, start + 1, ends - start) as words, head, link
from typed
