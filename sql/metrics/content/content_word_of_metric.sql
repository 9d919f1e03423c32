-- name: content_word_of_metric
-- version: 1
-- grain: caption text, word
-- reads: bucket_text
-- returns: caption_id, token_id, is_content
--
-- The words of the texts in one bucket of images, each once. A metric has left only content words in them.
select caption_id, unnest(list_distinct(tokens)) as token_id, true as is_content
from bucket_text
