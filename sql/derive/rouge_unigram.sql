-- name: rouge_unigram
-- version: 1
-- grain: caption text, word
-- reads: chosen, rouge_word
-- returns: caption_id, word, tf
--
-- How often each of ROUGE's words occurs in each text.
with position as (select caption_id, unnest(tokens) as token_id from chosen)
select p.caption_id, w.word, count(*)::uinteger as tf
from position as p
join rouge_word as w using (token_id)
group by p.caption_id, w.word
