-- name: distinct_text
-- version: 1
-- grain: text
-- reads: searched_caption
-- returns: text_no, tokens
--
-- The different texts of all captions compared, equal where their tokens are, in order. A caption without a token says
-- nothing, and so nothing that another says too.
select row_number() over (order by tokens)::uinteger as text_no, tokens
from searched_caption
where len(tokens) > 0
group by tokens
