-- name: integrity
-- version: 2
-- grain: check
-- reads: caption, caption_tokens, vocabulary, membership, version, dataset, rejected
-- returns: check, subject, checked, faults
-- order: position
--
-- The guarantees of indexes, checked by counting: unique keys, and references to rows that exist.
with token as (select distinct unnest(tokens) as token_id from caption_tokens),
standing as (
    select dataset, image, slot, from_seq, to_seq, lead(from_seq) over (
        partition by dataset, image, slot order by from_seq
    ) as next_from
    from membership
),
bound as (
    select dataset, from_seq as seq from membership
    union all
    select dataset, to_seq from membership where to_seq is not null
),
checked (position, "check", subject, checked, faults) as (
    select 1, 'texts are unique', 'caption', count(*), count(*) - count(distinct text) from caption
    union all
    select 2, 'numbers are unique', 'caption', count(*), count(*) - count(distinct caption_id) from caption
    union all
    select 3, 'tokens are unique', 'vocabulary', count(*), count(*) - count(distinct token) from vocabulary
    union all
    select 4, 'every place has a text', 'membership', (select count(*) from membership), count(*)
    from membership as m anti join caption as c using (caption_id)
    union all
    select 5, 'every place is of a version', 'membership', (select count(*) from membership), count(*)
    from bound as b anti join version as v using (dataset, seq)
    union all
    select 6, 'no place holds two texts at once', 'membership', count(*),
        count(*) filter (where next_from is not null and (to_seq is null or to_seq > next_from))
    from standing
    union all
    select 7, 'every version is of a dataset', 'version', (select count(*) from version), count(*)
    from version as v anti join dataset as d using (dataset)
    union all
    select 8, 'every text has tokens', 'caption_tokens', (select count(*) from caption), count(*)
    from caption as c anti join caption_tokens as t using (caption_id)
    union all
    select 9, 'a text has tokens once', 'caption_tokens', count(*), count(*) - count(distinct (caption_id, tokenizer))
    from caption_tokens
    union all
    select 10, 'every token is a word', 'caption_tokens', (select count(*) from token), count(*)
    from token as t anti join vocabulary as v using (token_id)
    union all
    select 11, 'every refusal is of a version', 'rejected', (select count(*) from rejected), count(*)
    from rejected as r anti join version as v using (dataset, seq)
)
select "check", subject, checked, faults
from checked
order by position
