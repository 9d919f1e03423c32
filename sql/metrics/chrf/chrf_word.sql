-- name: chrf_word
-- version: 1
-- grain: token, word
-- reads: bucket_text, vocabulary
-- returns: token_id, place, spelling, word
-- order: token_id, place
-- cites: chrF++.py, separate_punctuation, as in sacrebleu 2.6: one sign, the last of a word or else the first
--
-- The words of chrF++ in the selected tokens: "dogs." and "(dogs)" become two words each, "." remains one. Joined, they
-- are the token. Words are numbered by spelling.
with selected as (select distinct unnest(tokens) as token_id from bucket_text),
split as (
    select
        v.token_id,
        case
            when length(v.token) = 1 then [v.token]
            when regexp_matches(v.token, '[!-/:-@\[-`{-~]$') then [left(v.token, -1), right(v.token, 1)]
            when regexp_matches(v.token, '^[!-/:-@\[-`{-~]') then [left(v.token, 1), substring(v.token, 2)]
            else [v.token]
        end as words
    from vocabulary as v
    semi join selected as w using (token_id)
),
spelt as (select token_id, unnest(range(1, len(words) + 1))::utinyint as place, unnest(words) as spelling from split)
select token_id, place, spelling, dense_rank() over (order by spelling)::uinteger as word
from spelt
order by token_id, place
