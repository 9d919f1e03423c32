-- name: learnable_word
-- version: 2
-- grain: word
-- reads: trained_word, word_to_cover, vocabulary
-- returns: token_id, word, trained, evaluated
-- order: v.token
-- cites: van Miltenburg et al. 2018, equation 1, section 3.3: punctuation is removed
--
-- The words of human captions that are also in the training data, with their frequencies in both. Human captions are
-- those of the images that the selected captions also describe, or all.
select e.token_id, v.token as word, t.occurrences as trained, e.occurrences as evaluated
from word_to_cover as e
join trained_word as t on t.token_id = e.token_id
join vocabulary as v on v.token_id = e.token_id
where regexp_matches(v.token, '[\p{L}\p{N}]')
order by v.token
