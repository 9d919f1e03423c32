-- name: unigram_distribution
-- version: 1
-- grain: token
-- reads: token_count, vocabulary
-- returns: token_id, token, first_place, places
--
-- A unigram distribution to draw from: tokens in order of spelling have as many positions as occurrences, first_place
-- counted from 0, of `places` in all. Numbers of tokens would depend on what was ingested before, spelling does not.
with spelled as (select s.token_id, v.token, s.occurrences from token_count as s join vocabulary as v using (token_id))
select
    token_id, token,
    (sum(occurrences) over (order by token) - occurrences)::bigint as first_place,
    (sum(occurrences) over ())::bigint as places
from spelled
