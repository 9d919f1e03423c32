-- name: filtered_word
-- version: 1
-- grain: word of a changed caption
-- params: function_words BOOLEAN
-- reads: reference_word, word_in_list
-- returns: image, slot, position, token_id, token
-- cites: Wang & Gaizauskas 2016, section 6: which components of descriptions matter to each metric
--
-- Each caption without its function words, or with only those ($function_words: whether they stay). Words are looked up
-- in lower case, because tokenizer whitespace keeps capitals.
select w.image, w.slot, w.position, w.token_id, w.token
from reference_word as w
left join word_in_list as f on f.word = lower(w.token)
where (f.word is not null) = $function_words::boolean
