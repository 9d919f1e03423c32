-- name: text_type
-- version: 1
-- grain: caption text, word
-- params: tokenizer VARCHAR
-- reads: reference, candidate, caption_tokens
-- returns: caption_id, token_id
--
-- The words of each selected text, each word once, since texts are sets of words (van Miltenburg et al. 2018, eq. 5).
with selected as (select caption_id from reference union select caption_id from candidate)
select t.caption_id, unnest(list_distinct(t.tokens)) as token_id
from caption_tokens as t
semi join selected as w on w.caption_id = t.caption_id
where t.tokenizer = $tokenizer::varchar
