-- name: name_word
-- version: 1
-- grain: word
-- reads: content
-- returns: word
--
-- Words that captions write with a capital letter more often than not where they do not begin the caption: names, and "I".
-- They keep it where a mention moves from the beginning of a sentence into it.
with word as (
    select unnest(regexp_extract_all(regexp_replace(text, '^\s*\S+', ''), '\p{L}\S*')) as word
    from content
)
select lower(word) as word
from word
group by all
having 2 * count(*) filter (where left(word, 1) <> lower(left(word, 1))) > count(*)
