-- name: listed_word
-- version: 2
-- grain: caption
-- reads: reference, text_tokens, vocabulary, word_in_list
-- returns: image, slot, why, words
-- order: r.image, r.slot
-- merges: rows
--
-- Captions with a word from the user's list (relation word_in_list), such as a profanity list.
with used_word as (select caption_id, unnest(list_distinct(tokens)) as token_id from text_tokens)
select
    r.image, r.slot, 'contains ' || string_agg('“' || v.token || '”', ', ' order by v.token) as why,
    list(v.token order by v.token) as words
from reference as r
join used_word as s using (caption_id)
join vocabulary as v using (token_id)
semi join word_in_list as w on w.word = v.token
group by r.image, r.slot
order by r.image, r.slot
