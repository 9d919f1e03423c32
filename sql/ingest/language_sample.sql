-- name: language_sample
-- version: 1
-- grain: caption
-- reads: content
-- returns: text
-- order: md5_number(concat_ws(chr(31), 'language', image, slot)), image, slot
--
-- The captions whose words decide on the language: 2,000 of those with a letter, in a random order that is always the
-- same.
with numbered as (
    select
        image, slot, text,
        row_number() over (order by md5_number(concat_ws(chr(31), 'language', image, slot)), image, slot) as place
    from content
    where regexp_matches(text, '\p{L}')
)
select text
from numbered
where place <= 2000
order by md5_number(concat_ws(chr(31), 'language', image, slot)), image, slot
