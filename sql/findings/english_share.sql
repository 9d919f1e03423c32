-- name: english_share
-- version: 1
-- grain: selection
-- reads: reference, text_tokens, vocabulary, english_token
-- returns: share
--
-- The share of the words of the captions that are English words: 0.9 or more in English, less than half in others. Only
-- words of at least three letters count. It is null without such a word.
with word as (
    select t.token_id
    from (select unnest(t.tokens) as token_id from reference as r join text_tokens as t using (caption_id)) as t
    join vocabulary as v using (token_id)
    where regexp_matches(v.token, '^\p{L}{3,}$')
)
select count(k.token_id) / nullif(count(*), 0) as share
from word as w
left join english_token as k using (token_id)
