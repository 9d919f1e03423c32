-- name: name_word
-- version: 1
-- grain: word
-- reads: content
-- returns: word
--
-- Words that captions capitalize more often than not, except at the beginning of a caption: names, and "I". They stay
-- capitalized if a mention moves from the beginning of a sentence into it.
with word as (select unnest(regexp_extract_all(regexp_replace(text, '^\s*\S+', ''), '\p{L}\S*')) as word from content)
select lower(word) as word
from word
group by all
having 2 * count(*) filter (where left(word, 1) <> lower(left(word, 1))) > count(*)
