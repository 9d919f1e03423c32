-- name: language_sample
-- version: 1
-- grain: caption
-- params: most bigint
-- reads: content
-- returns: text
-- order: md5_number(concat_ws(chr(31), 'language', image, slot)), image, slot
--
-- The captions whose words decide on the language: those with a letter, at most $most, in a fixed order at random.
select text
from content
where regexp_matches(text, '\p{L}')
order by md5_number(concat_ws(chr(31), 'language', image, slot)), image, slot
limit $most
