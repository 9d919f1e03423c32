-- name: bag_item
-- version: 1
-- grain: text, word of its bag
-- reads: distinct_text
-- returns: text_no, token_id, nth
-- merges: rows
--
-- A text as a bag of words. The second “a” of a text counts as a separate word, so bags are sets.
select text_no, token_id, unnest(range(1, count(*) + 1)) as nth
from (select text_no, unnest(tokens) as token_id from distinct_text)
group by text_no, token_id
