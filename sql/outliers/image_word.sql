-- name: image_word
-- version: 1
-- grain: image, word of its captions
-- reads: reference, text_tokens
-- returns: image_no, word, holding
--
-- The number of captions of an image with a word (of relation text_tokens: stems, if these replace tokens).
with used_word as (select caption_id, unnest(list_distinct(tokens)) as word from text_tokens)
select r.image_no, s.word, count(*)::integer as holding
from reference as r
join used_word as s using (caption_id)
group by r.image_no, s.word
