-- name: replaced
-- version: 4
-- grain: caption that a pattern finds
-- params: pattern TEXT, reading TEXT, needs TEXT, unless TEXT, removes TEXT, fix TEXT, loses TEXT
-- reads: caption_at_repair
-- returns: image, slot, before, after
-- order: image, slot
--
-- The captions that match a pattern of signs.toml (parameters as there), and what they become: `fix` replaces each
-- match, and whitespace at both ends goes. The letter after the character U+0001 of `fix` becomes a capital, if the
-- caption begins with one. A pattern with another reading than the text matches the whole caption, which `fix` replaces.
-- A caption that would lose a word that is not one of `loses`, and that nothing left is akin to, is not replaced.
with readable as (
    select
        image, slot, text as before, regexp_matches(text, '^\P{L}*\p{Lu}') as capital,
        case $reading::varchar when 'text' then regexp_replace(text, if($removes::varchar = '', '\x{fdd0}', $removes::varchar), '', 'g')
            when 'lower' then lower(text) else lower(regexp_replace(text, '^[\s\p{P}]+|[\s\p{P}]+$', '', 'g'))
        end as looked_at
    from caption_at_repair
),
made as (
    select
        image, slot, before, capital,
        string_split(
            if($reading::varchar = 'text', regexp_replace(before, $pattern::varchar, $fix::varchar, 'g'), $fix::varchar), chr(1)
        ) as parts
    from readable
    where regexp_matches(looked_at, $pattern::varchar) and ($reading::varchar <> 'words' or strlen(looked_at) <= 80)
        and ($needs::varchar = '' or regexp_matches(looked_at, $needs::varchar))
        and ($unless::varchar = '' or not regexp_matches(looked_at, $unless::varchar))
),
written as (
    select
        image, slot, before,
        trim(
            array_to_string(
                list_transform(
                    parts, lambda part, nth: if(nth > 1 and capital and part <> '', upper(part[1]) || coalesce(part[2:], ''), part)
                ), ''
            ), ' ' || chr(9) || chr(10) || chr(13)
        ) as after
    from made
),
worded as (select image, slot, before, after, regexp_extract_all(lower(after), '[\p{L}\p{N}]+') as words from written)
select image, slot, before, after
from worded
where $loses::varchar = '' or not list_bool_or(
    list_transform(
        regexp_extract_all(lower(before), '[\p{L}\p{N}]+'),
        lambda word: not regexp_full_match(word, $loses::varchar) and not list_contains(words, word)
            and (len(word) < 4 or not list_contains(list_transform(words, lambda known: known[:4]), word[:4]))
    )
)
order by image, slot
