-- name: bucket_word
-- version: 1
-- grain: token
-- reads: bucket_caption, vocabulary
-- returns: token_id, token
-- order: v.token_id
--
-- The words of one bucket of images, with their numbers in the store.
with spoken as (select distinct unnest(tokens) as token_id from bucket_caption)
select v.token_id, v.token
from vocabulary as v
semi join spoken as s on s.token_id = v.token_id
order by v.token_id
