-- name: drift_ngram
-- version: 1
-- grain: kind of n-gram, n-gram
-- reads: reference, text_tokens
-- returns: kind, gram, occurrences
--
-- The frequency of each word, bigram, and opening (first three tokens); packed as in caption_gram.
with spoken as (select caption_id, count(*) as copies from reference group by caption_id),
copied as (select s.copies, t.tokens from text_tokens as t join spoken as s using (caption_id)),
side_by_side as (select copies, unnest(tokens)::uhugeint as a, unnest(tokens[2:]) as b from copied),
occurrence as (
    select 'words' as kind, a as gram, copies from side_by_side
    union all
    select 'bigrams', pack(a, b), copies from side_by_side where b is not null
    union all
    select 'openings', pack(tokens[1]::uhugeint, tokens[2], tokens[3]), copies
    from copied
    where len(tokens) >= 3
)
select kind, gram, sum(copies)::bigint as occurrences
from occurrence
group by kind, gram
