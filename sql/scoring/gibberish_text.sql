-- name: gibberish_text
-- version: 2
-- grain: held-out caption
-- params: label VARCHAR, words INTEGER, last_text UINTEGER
-- reads: gibberish_word
-- returns: candidate, image, slot, caption_id, tokens, text
-- cites: Wang & Gaizauskas 2016, section 5, Gibberish Dataset and Gibberish Brown
--
-- A text of $words drawn words for each caption. If $words is null, the text has as many words as the selected captions
-- have on average. Texts are numbered from $last_text + 1.
select
    $label::varchar as candidate, image, slot,
    ($last_text::uinteger + text_no)::uinteger as caption_id,
    tokens[:coalesce($words::integer, mean)] as tokens,
    array_to_string(words[:coalesce($words::integer, mean)], ' ') as text
from gibberish_word
where coalesce($words::integer, mean) > 0
