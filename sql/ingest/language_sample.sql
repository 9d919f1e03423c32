-- name: language_sample
-- version: 1
-- grain: caption
-- reads: content
-- returns: text
-- order: md5_number(concat_ws(chr(31), 'language', image, slot)), image, slot
--
-- The captions whose words decide on the language: 2,000 of those with a letter, in a fixed random order.
with sample as (
    select image, slot, text
    from content
    where case when (ord(text) | 32) between 97 and 122 then true else regexp_matches(text, '\p{L}') end
    order by md5_number(concat_ws(chr(31), 'language', image, slot)), image, slot
    limit 2000
)
select text
from sample
order by md5_number(concat_ws(chr(31), 'language', image, slot)), image, slot
