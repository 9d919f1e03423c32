-- name: distinct_text
-- version: 1
-- grain: text
-- reads: searched_text
-- returns: text_no, tokens
--
-- The different texts of all compared captions: equal if their tokens are, in order. A caption without tokens has none.
select row_number() over (order by tokens)::uinteger as text_no, tokens
from searched_text
where len(tokens) > 0
group by tokens
