-- name: rouge_word
-- version: 1
-- grain: token, word
-- params: ascii BOOLEAN
-- reads: vocabulary
-- returns: token_id, word
-- cites: ROUGE-1.5.5.pl, readText: every character outside [A-Za-z0-9-] becomes a blank, lone hyphens are dropped
--
-- The words that ROUGE's own tokeniser makes of a token: "café" becomes "caf", a token of another script none. With
-- ascii = false a token is its own word. Words are numbered by spelling.
with spelling as (
    select
        token_id,
        unnest(case when $ascii::boolean then regexp_extract_all(lower(token), '[a-z0-9]+') else [token] end) as word
    from vocabulary
)
select token_id, dense_rank() over (order by word)::uinteger as word
from spelling
