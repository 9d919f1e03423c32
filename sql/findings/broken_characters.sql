-- name: broken_characters
-- version: 1
-- grain: caption
-- reads: reference, caption
-- returns: image, slot, why
-- order: image, slot
--
-- Captions that were decoded wrongly: the replacement character, the pairs that UTF-8 leaves when it is read as Latin-1
-- or Windows-1252, or characters that nobody can see and no text needs. Joiners that scripts need are none of these.
with found as (
    select
        r.image, r.slot,
        contains(c.text, chr(65533)) as replaced,
        regexp_extract(c.text, '[ÂÃÄÅ][\x{80}-\x{bf}]|â€.?|Ã[¡-¿]|Â[ ¡-¿]|ï»¿') as doubled,
        regexp_matches(
            c.text, '[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x{9f}\x{200e}\x{200f}\x{202a}-\x{202e}\x{2060}-\x{206f}\x{feff}]'
        ) as unprintable
    from reference as r
    join caption as c using (caption_id)
)
select
    image, slot,
    case
        when replaced then 'replacement character'
        when doubled <> '' then 'encoded twice ' || doubled
        else 'unprintable character'
    end as why
from found
where replaced or doubled <> '' or unprintable
order by image, slot
