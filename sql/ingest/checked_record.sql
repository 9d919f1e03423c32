-- name: checked_record
-- version: 6
-- grain: record of a source
-- params: empty_allowed BOOLEAN
-- reads: staged, split_list
-- returns: position, source, unit, line, image, slot, split, text, reason, raw, leads
--
-- Every record, with its slot and the reason for its rejection: the reader's reason, a caption without a visible
-- character (allowed in the output of a system, which is scored as it is), or an identifier or key of an earlier
-- record (with its split if that differs). Null means accepted; `raw` is the text of rejected records. An empty caption
-- keeps its slot, so filling it in moves no other one. A slot with rank -1 is a place in a list: if an image has several,
-- each continues the one before. A forced-choice item is rejected as a whole, with the first reason of its captions;
-- `leads` is true only for its right one. Keys are compared by hashes first, and only if slots are given.
with readable as not materialized (
    select
        position, source, unit, line, image, slot, rank, identifier, split, text, raw, pair,
        coalesce(reason, case
            when ord(text) between 33 and 126 or $empty_allowed::boolean then null
            when not regexp_matches(text, '[^\s\p{Z}\p{Cf}]') then 'empty caption'
        end) as fault
    from staged
),
shared_identifier as (
    select identifier, min(position) as first_position
    from readable where fault is null and identifier is not null
    group by identifier having count(*) > 1
),
unmistakable as not materialized (
    select r.* replace (if(r.position > s.first_position, format('{} occurs before', r.identifier), r.fault) as fault)
    from readable as r left join shared_identifier as s using (identifier)
),
relisted as (
    select image from unmistakable where rank = -1
    group by image having count(*) > count(distinct slot) and count(distinct split) < 2
),
ranked as (
    select position, row_number() over (partition by image order by rank nulls last, position) - 1 as slot
    from unmistakable
    where (fault is null or fault = 'empty caption') and (slot is null or image in (from relisted))
),
keyed as (
    select u.* replace (coalesce(r.slot, u.slot) as slot)
    from unmistakable as u left join ranked as r using (position)
),
shared_hash as (
    select hash(image, slot) as key_hash
    from keyed where fault is null and (select count(slot) > 0 from staged)
    group by key_hash having count(*) > 1
),
first_place as (
    select
        image, slot, min(position) as first_position, min_by(source, position) as source, min_by(line, position) as line,
        min_by(split, position) as split
    from keyed
    where fault is null and hash(image, slot) in (from shared_hash)
    group by image, slot having count(*) > 1
),
spoilt_item as (
    select
        source, image, pair.pair as number,
        min_by(if(starts_with(fault, identifier), fault, concat_ws(': ', identifier, fault)), position) as fault
    from keyed
    where fault is not null and pair.side not in ('B', 'C')
    group by all
)
select
    k.position, k.source, k.unit, k.line, k.image, k.slot::uinteger as slot, coalesce(k.split, l.split) as split, k.text,
    coalesce(i.fault, k.fault, case when k.position > f.first_position then format(
        'duplicate key {}#{}, first at {}{}', k.image, k.slot,
        case when f.source = k.source then f.line::varchar else concat(f.source, ':', f.line) end,
        if(k.split <> f.split, format(' in split {}; rename the images of a split, or ingest it as its own dataset', f.split), '')
    ) end) as reason,
    case
        when i.fault is not null or k.fault is not null or k.position > f.first_position then left(coalesce(k.raw, k.text), 2000)
    end as raw,
    coalesce((k.pair).side in ('B', 'C', 'right'), true) as leads
from keyed as k
left join first_place as f on f.image = k.image and f.slot = k.slot
left join split_list as l on l.image = k.image
left join spoilt_item as i on i.source = k.source and i.image = k.image and i.number = (k.pair).pair
