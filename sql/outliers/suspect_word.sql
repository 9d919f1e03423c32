-- name: suspect_word
-- version: 1
-- grain: caption that may be of another image, word
-- reads: suspect_caption, text_tokens
-- returns: suspect_no, word
--
-- The words of the suspect captions, each once.
with used_word as (select caption_id, unnest(list_distinct(tokens)) as word from text_tokens)
select s.suspect_no, t.word
from suspect_caption as s
join used_word as t using (caption_id)
