-- name: distinct_text
-- version: 1
-- grain: text
-- reads: searched_text
-- returns: text_no, tokens
--
-- The different texts of all compared captions. Texts are equal if their tokens are equal, in order. A caption without
-- a token has no text.
select row_number() over (order by tokens)::uinteger as text_no, tokens
from searched_text
where len(tokens) > 0
group by tokens
