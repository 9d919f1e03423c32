-- name: distinct_text
-- version: 1
-- grain: wording
-- reads: searched_caption
-- returns: wording_no, tokens
--
-- The different texts of all captions compared, equal where their tokens are, in order. A caption without a token says
-- nothing, and so nothing that another says too.
select row_number() over (order by tokens)::uinteger as wording_no, tokens
from searched_caption
where len(tokens) > 0
group by tokens
