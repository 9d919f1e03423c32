-- name: meteor_token
-- version: 1
-- grain: token
-- reads: bucket_text, vocabulary
-- returns: token_id, token
-- order: v.token_id
--
-- The spelling of each selected token in one bucket of images, for METEOR's normalizer and word lists.
with selected as (select distinct unnest(tokens) as token_id from bucket_text)
select v.token_id, v.token
from vocabulary as v
semi join selected as w on w.token_id = v.token_id
order by v.token_id
