-- name: case_variant
-- version: 1
-- grain: token that differs only in case from an earlier one
-- reads: vocabulary
-- returns: token_id, twin_id
-- order: token_id
--
-- Tokens that a case-insensitive metric treats as the first of their spelling: none if the tokenizer lowercases.
with spelling as (select token_id, min(token_id) over (partition by lower(token)) as twin_id from vocabulary)
select token_id, twin_id
from spelling
where twin_id <> token_id
order by token_id
