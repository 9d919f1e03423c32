-- name: character_limit
-- version: 1
-- grain: selection
-- reads: character_count
-- returns: longest, words
--
-- The words of all captions, and the length at which a limit of characters cut them, if there was one: the greatest of
-- all, which ten open captions have, and far more captions than have a slightly smaller one.
with whole as (select sum(words)::bigint as words, max(characters) as longest from character_count)
select
    if(
        sum(if(c.characters = w.longest and c.is_open, c.captions, 0)) >= 10
        and sum(if(c.characters = w.longest, c.captions, 0))
        >= 2 * sum(if(c.characters between w.longest - 5 and w.longest - 1, c.captions, 0)),
        any_value(w.longest), null
    ) as longest,
    any_value(w.words) as words
from whole as w
cross join character_count as c
