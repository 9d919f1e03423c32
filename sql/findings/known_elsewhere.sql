-- name: known_elsewhere
-- version: 1
-- grain: token
-- params: apart VARCHAR[], profile VARCHAR
-- reads: membership, caption_tokens
-- returns: token_id
--
-- The tokens of every other dataset of the store, but for those of `apart`: the dataset itself and its relatives, which
-- hold the same captions.
select distinct unnest(t.tokens) as token_id
from membership as m
join caption_tokens as t using (caption_id)
where t.profile = $profile::varchar and not list_contains($apart::varchar[], m.dataset)
order by token_id
