-- name: usual_neighbor
-- version: 1
-- grain: side, neighbor, word
-- reads: near_place
-- returns: side, neighbor, token_id, times
--
-- The words before and behind which a word occurs at least three times.
select 'before' as side, before as neighbor, token_id, sum(times)::bigint as times
from near_place
group by before, token_id
having sum(times) >= 3
union all
select 'behind' as side, behind as neighbor, token_id, sum(times)::bigint as times
from near_place
group by behind, token_id
having sum(times) >= 3
