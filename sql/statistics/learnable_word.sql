-- name: learnable_word
-- version: 1
-- grain: word
-- reads: trained_word, evaluated_word, vocabulary
-- returns: token_id, word, trained, evaluated
-- cites: van Miltenburg et al. 2018, equation 1, section 3.3: punctuation is removed
--
-- The words of the evaluation data that the training data has too, with their frequencies in both.
select e.token_id, v.token as word, t.occurrences as trained, e.occurrences as evaluated
from evaluated_word as e
join trained_word as t on t.token_id = e.token_id
join vocabulary as v on v.token_id = e.token_id
where regexp_matches(v.token, '[\p{L}\p{N}]')
order by v.token
