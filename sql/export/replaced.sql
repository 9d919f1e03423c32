-- name: replaced
-- version: 2
-- grain: caption that a pattern finds
-- params: pattern TEXT, needs TEXT, unless TEXT, fix TEXT
-- reads: caption_at_repair
-- returns: image, slot, before, after
-- order: image, slot
--
-- The captions that match a pattern of signs.toml (`needs` and `unless` as there), and what they become: `fix` replaces
-- each match, and whitespace at both ends goes. The letter after the character U+0001 of `fix` becomes a capital, if the
-- caption begins with one.
with made as (
    select
        image, slot, text as before, regexp_matches(text, '^\P{L}*\p{Lu}') as capital,
        string_split(regexp_replace(text, $pattern::varchar, $fix::varchar, 'g'), chr(1)) as parts
    from caption_at_repair
    where regexp_matches(text, $pattern::varchar)
        and ($needs::varchar = '' or regexp_matches(text, $needs::varchar))
        and ($unless::varchar = '' or not regexp_matches(text, $unless::varchar))
)
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
order by image, slot
