-- name: english_share
-- version: 1
-- grain: selection
-- reads: reference, text_tokens, vocabulary, english_token
-- returns: english, words
-- merges: sum english, words
--
-- The share of English words, of those of three letters or more: 0.9 or more in English, less than half in others.
with word as (
    select t.token_id
    from (select unnest(t.tokens) as token_id from reference as r join text_tokens as t using (caption_id)) as t
    join vocabulary as v using (token_id)
    where regexp_matches(v.token, '^\p{L}{3,}$')
)
select count(k.token_id) as english, count(*) as words
from word as w
left join english_token as k using (token_id)
