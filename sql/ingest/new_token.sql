-- name: new_token
-- version: 1
-- grain: token
-- reads: tokenized, vocabulary
-- returns: token_id, token
--
-- Tokens that are not in the vocabulary yet, numbered after those that are.
with unseen as (
    select distinct t.token
    from tokenized as t
    anti join vocabulary as v on v.token = t.token
    where t.token is not null
)
select
    ((select coalesce(max(token_id), 0) from vocabulary) + row_number() over (order by token))::uinteger as token_id,
    token
from unseen
