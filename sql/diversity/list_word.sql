-- name: list_word
-- version: 1
-- grain: list, word
-- params: tokenizer VARCHAR
-- reads: list_caption, caption_tokens
-- returns: list_no, token_id, captions
-- merges: sum captions
--
-- The number of captions of each list that contain a word. Counts of parts of a list add up to those of the whole.
with word as (
    select l.list_no, unnest(list_distinct(t.tokens)) as token_id
    from list_caption as l
    join caption_tokens as t on t.caption_id = l.caption_id and t.tokenizer = $tokenizer::varchar
)
select list_no, token_id, count(*)::uinteger as captions
from word
group by list_no, token_id
