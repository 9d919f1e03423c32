-- name: ngram_frequency
-- version: 1
-- grain: n-gram
-- params: ref VARCHAR, tokenizer VARCHAR = 'bare'
-- reads: resolved, cache.ngram_frequency, membership, caption_tokens, vocabulary
-- returns: dataset, version, split, n, gram, occurrences, captions, images
-- column dataset VARCHAR: The dataset.
-- column version VARCHAR: Its version, by hash.
-- column split VARCHAR: The split; null for all.
-- column n UTINYINT: N-gram order, 1 to 4.
-- column gram VARCHAR: Its tokens, joined by spaces.
-- column occurrences UINTEGER: Times it occurs.
-- column captions UINTEGER: Captions that hold it.
-- column images UINTEGER: Images that hold it: its document frequency.
-- example: select gram, images from ngram_frequency('sample-narrow') where n = 2 order by images desc, gram limit 3
--
-- Frequency of each n-gram (n = 1 to 4) in a dataset, version or split. The frequencies of a whole version are kept after
-- the first count; those of a split are counted each time. Captions without tokens of this tokenizer are an error.
with asked as (
    -- separate, because a parameter may not have the name of a column next to it
    select dataset, seq, version, split, $tokenizer::varchar as named
    from resolved($ref)
),
held as (
    select distinct f.version, f.tokenizer
    from cache.ngram_frequency as f
    join asked as a on a.split is null and f.version = a.version and f.tokenizer = a.named
),
placed as materialized (
    select m.slot, t.tokens, dense_rank() over (order by m.image) as image_no
    from asked as a
    join main.membership as m
        on m.dataset = a.dataset and m.from_seq <= a.seq and (m.to_seq is null or m.to_seq > a.seq)
            and (a.split is null or m.split = a.split)
    left join main.caption_tokens as t on t.caption_id = m.caption_id and t.tokenizer = a.named
    where not exists (from held)
),
lacking as (select count(*) as captions from placed where tokens is null),
side_by_side as materialized (
    select
        image_no, slot,
        unnest(tokens)::uhugeint as a, unnest(tokens[2:])::uhugeint as b,
        unnest(tokens[3:])::uhugeint as c, unnest(tokens[4:])::uhugeint as d
    from placed
),
occurrence as (
    select image_no, slot, 1 as n, a as gram from side_by_side where a is not null
    union all
    select image_no, slot, 2, (a << 32) | b from side_by_side where b is not null
    union all
    select image_no, slot, 3, (a << 64) | (b << 32) | c from side_by_side where c is not null
    union all
    select image_no, slot, 4, (a << 96) | (b << 64) | (c << 32) | d from side_by_side where d is not null
),
caption_frequency as (select image_no, slot, n, gram, count(*) as occurrences from occurrence group by all),
frequency as (
    select f.n, f.gram, f.occurrences, f.captions, f.images
    from cache.ngram_frequency as f
    join held as h on f.version = h.version and f.tokenizer = h.tokenizer
    union all
    select n, gram, sum(occurrences)::uinteger, count(*)::uinteger, count(distinct image_no)::uinteger
    from caption_frequency
    group by n, gram
    union all
    select error(
        'tokens of ' || $tokenizer::varchar || ' are missing for ' || captions || ' captions of ' || $ref::varchar
        || '; `auditor profile ' || $ref::varchar || ' --tokenizer ' || $tokenizer::varchar || '` stores them'
    )::integer, null, null, null, null
    from lacking
    where captions > 0
)
select
    a.dataset, a.version, a.split, f.n::utinyint as n, concat_ws(' ', fourth.token, third.token, second.token, last.token) as gram,
    f.occurrences, f.captions, f.images
from asked as a
cross join frequency as f
join main.vocabulary as last on last.token_id = (f.gram & 4294967295)::uinteger
left join main.vocabulary as second on second.token_id = ((f.gram >> 32) & 4294967295)::uinteger
left join main.vocabulary as third on third.token_id = ((f.gram >> 64) & 4294967295)::uinteger
left join main.vocabulary as fourth on fourth.token_id = (f.gram >> 96)::uinteger
