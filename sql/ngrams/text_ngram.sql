-- name: text_ngram
-- version: 1
-- grain: caption text, n-gram
-- reads: bucket_text
-- returns: caption_id, n, gram, tf
--
-- How often each text has each n-gram (n = 1 to 4). Lists are unnested side by side, shifted by one each: null fills
-- shorter ones, and makes longer n-grams null. Tokens, never 0, take 32 bits each: equal numbers are equal n-grams.
with side_by_side as (
    select
        caption_id,
        unnest(tokens)::uhugeint as a, unnest(tokens[2:])::uhugeint as b, unnest(tokens[3:])::uhugeint as c,
        unnest(tokens[4:])::uhugeint as d
    from bucket_text
),
packed as materialized (
    select caption_id, a, pack(a, b) as ab, pack(a, b, c) as abc, pack(a, b, c, d) as abcd
    from side_by_side
),
occurrence as (
    select caption_id, 1::utinyint as n, a as gram from packed where a is not null
    union all
    select caption_id, 2, ab from packed where ab is not null
    union all
    select caption_id, 3, abc from packed where abc is not null
    union all
    select caption_id, 4, abcd from packed where abcd is not null
)
select caption_id, n, gram, count(*)::uinteger as tf
from occurrence
group by caption_id, gram, n
