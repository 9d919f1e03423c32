-- name: word_above
-- version: 1
-- grain: word of a caption text, word that it is below
-- reads: parsed_word
-- returns: caption_id, position, above
--
-- Each word with itself, its head, the head of that, up to the root: the reverse gives all words of a subtree.
with recursive climbed as (
    select caption_id, position, position as above, head as next
    from parsed_word
    where head is not null
    union all
    select c.caption_id, c.position, w.position as above, w.head as next
    from climbed as c
    join parsed_word as w on w.caption_id = c.caption_id and w.position = c.next
    where c.next > 0
)
select caption_id, position, above
from climbed
