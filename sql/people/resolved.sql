-- name: resolved
-- version: 1
-- grain: store
-- params: ref VARCHAR
-- reads: version, tag, membership, dataset
-- returns: dataset, seq, version, split
-- column dataset VARCHAR: The dataset.
-- column seq INTEGER: Which of its versions, counted from 1.
-- column version VARCHAR: Hash of the captions of that version.
-- column split VARCHAR: The split; null for all.
-- example: from resolved('sample-narrow@v1')
--
-- The version and split that a reference such as 'flickr8k@v1:test' names, as in commands. An unknown name is an error.
with asked as (
    select regexp_extract($ref::varchar, '^([^@:]+)(?:@([^:]+))?(?::(.+))?$', ['name', 'point', 'part']) as parts
),
named as (
    select
        (parts).name as name, nullif((parts).point, '') as point, nullif((parts).part, '') as part,
        coalesce(regexp_full_match((parts).point, 'v\d+'), false) as is_number,
        coalesce(regexp_full_match((parts).point, '\d{4}-\d\d-\d\d'), false) as is_date
    from asked
),
matched as (
    select v.dataset, v.seq, v.version, not (n.is_number or n.is_date) and t.seq is null and n.point is not null as is_hash
    from main.version as v
    join named as n on n.name = v.dataset
    left join main.tag as t on t.dataset = v.dataset and t.tag = n.point
    where case
        when n.point is null then true
        when n.is_number then v.seq = try_cast(n.point[2:] as integer)
        when n.is_date then v.created_at < timezone('UTC', (try_cast(n.point as date) + 1)::timestamp)
        when t.seq is not null then v.seq = t.seq
        else starts_with(v.version, lower(n.point))
    end
),
chosen as (
    select
        max(dataset) as dataset, max(seq) as seq, arg_max(version, seq) as version,
        bool_or(is_hash) and count(distinct version) > 1 as is_ambiguous
    from matched
),
parted as (
    select count(*) as captions
    from main.membership as m
    join chosen as c on c.dataset = m.dataset and m.from_seq <= c.seq and (m.to_seq is null or m.to_seq > c.seq)
    join named as n on n.part = m.split
),
known as (
    select coalesce(string_agg(dataset, ', ' order by dataset), 'nothing yet') as datasets, list(dataset) as listed
    from main.dataset
),
judged as (
    select
        n.name, n.part, c.seq, c.version,
        case
            when coalesce(n.name, '') = '' then 'expected NAME, NAME@v7, NAME@TAG, NAME@HASH or NAME@DATE, optionally with :SPLIT'
            when not coalesce(list_contains(k.listed, n.name), false)
                then n.name || ': not in the store, which holds ' || k.datasets
            when c.seq is null then n.name || ' has no version ' || n.point || '; view versions lists what there is'
            when c.is_ambiguous then 'more than one version of ' || n.name || ' begins with ' || n.point || '; type more of the hash'
            when n.part is not null and p.captions = 0
                then n.name || ' has no split ' || n.part || '; view images lists those of the current version'
        end as fault
    from named as n
    cross join chosen as c
    cross join known as k
    cross join parted as p
)
-- The error is in a column that joins need: in a condition, it is skipped if a join has no row.
select case when fault is null then name else error(fault) end as dataset, seq, version, part as split
from judged
