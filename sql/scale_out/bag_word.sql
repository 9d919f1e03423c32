-- name: bag_word
-- version: 1
-- grain: word of a bag
-- reads: distinct_text
-- returns: token_id, nth, texts
-- order: token_id, nth
--
-- The number of texts that have a word so many times, as in text_bag: such numbers of several parts add up.
with spoken as (select text_no, unnest(tokens) as token_id from distinct_text),
repeated as (select token_id, count(*) as times from spoken group by text_no, token_id),
numbered as (
    select token_id, count(*) as texts, unnest(range(1, times + 1)) as nth
    from repeated
    group by token_id, times
)
select token_id, nth, sum(texts)::bigint as texts
from numbered
group by token_id, nth
order by token_id, nth
