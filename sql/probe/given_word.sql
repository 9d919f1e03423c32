-- name: given_word
-- version: 1
-- grain: word of a changed caption
-- reads: given_words, vocabulary
-- returns: image, slot, position, token_id, token
--
-- Texts made outside the engine, as lists of words, one per changed caption. The vocabulary must have every word.
with position as (
    select image, slot, unnest(words) as token, unnest(range(1, len(words) + 1)) as position
    from given_words
)
select p.image, p.slot, p.position, v.token_id, p.token
from position as p
join vocabulary as v using (token)
