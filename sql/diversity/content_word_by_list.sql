-- name: content_word_by_list
-- version: 1
-- grain: caption text, word
-- reads: text_type, vocabulary, word_in_list
-- returns: caption_id, token_id, is_content
--
-- The words of texts, content or not by a list of function words: a content word is a token with a letter that is not
-- listed. Numerals in digits and punctuation have no letter.
with content_token as (
    select v.token_id
    from vocabulary as v
    anti join word_in_list as f on f.word = lower(v.token)
    where regexp_matches(v.token, '\p{L}')
)
select t.caption_id, t.token_id, c.token_id is not null as is_content
from text_type as t
left join content_token as c on c.token_id = t.token_id
