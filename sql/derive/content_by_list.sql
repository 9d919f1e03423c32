-- name: content_by_list
-- version: 1
-- grain: caption text, content word
-- reads: caption_type, vocabulary, function_word
-- returns: caption_id, token_id
--
-- Content words by a list of the others: a token that has a letter and is no function word. Numerals in digits and
-- punctuation have no letter; numerals in letters count as content, which a tagger would not say.
with content_token as (
    select v.token_id
    from vocabulary as v
    anti join function_word as f on f.word = lower(v.token)
    where regexp_matches(v.token, '\p{L}')
)
select t.caption_id, t.token_id
from caption_type as t
semi join content_token as c on c.token_id = t.token_id
