-- name: bag_word
-- version: 1
-- grain: word of a bag
-- reads: bag_item
-- returns: token_id, nth, texts
-- order: token_id, nth
-- merges: sum texts
--
-- The number of texts that have a word so many times.
select token_id, nth, count(*) as texts
from bag_item
group by token_id, nth
order by token_id, nth
