-- name: checked_record
-- version: 4
-- grain: record of a source
-- params: empty_allowed BOOLEAN
-- reads: staged, split_list
-- returns: position, source, unit, line, image, slot, split, text, reason, raw, leads
--
-- Every record, with its slot and the reason for its rejection: the reader's reason, a caption without a visible
-- character (allowed in the output of a system, which is scored as it is), or an identifier or key of an earlier
-- record. Null means accepted; `raw` is the text of rejected records. An empty caption keeps its slot, so filling it
-- in moves no other caption. A forced-choice item is rejected as a whole, with the first reason of its captions;
-- `leads` is true only for its right caption.
with readable as (
    select
        position, image, slot, rank, identifier,
        coalesce(
            reason, case when not regexp_matches(text, '[^\s\p{Z}\p{Cf}]') and not $empty_allowed::boolean then 'empty caption' end
        ) as fault
    from staged
),
shared_identifier as (
    select identifier, min(position) as first_position
    from readable
    where fault is null and identifier is not null
    group by identifier
    having count(*) > 1
),
unmistakable as (
    select
        r.position, r.image, r.slot, r.rank,
        case when r.position > s.first_position then format('{} occurs before', r.identifier) else r.fault end as fault
    from readable as r
    left join shared_identifier as s using (identifier)
),
ranked as (
    select position, row_number() over (partition by image order by rank nulls last, position) - 1 as slot
    from unmistakable
    where (fault is null or fault = 'empty caption') and slot is null
),
keyed as (
    select u.position, u.image, coalesce(u.slot, r.slot) as slot, u.fault
    from unmistakable as u
    left join ranked as r using (position)
),
shared_key as (
    select image, slot, min(position) as first_position
    from keyed
    where fault is null
    group by image, slot
    having count(*) > 1
),
first_place as (
    select k.image, k.slot, k.first_position, s.source, s.line
    from shared_key as k
    join staged as s on s.position = k.first_position
),
spoilt_item as (
    select s.source, k.image, (s.pair).pair as number, min_by(
        if(starts_with(k.fault, s.identifier), k.fault, concat_ws(': ', s.identifier, k.fault)), k.position
    ) as fault
    from keyed as k
    join staged as s using (position)
    where k.fault is not null and (s.pair).side not in ('B', 'C')
    group by all
)
select
    k.position, s.source, s.unit, s.line, k.image, k.slot::uinteger as slot, coalesce(s.split, l.split) as split, s.text,
    coalesce(i.fault, k.fault, case when k.position > f.first_position then format(
        'duplicate key {}#{}, first at {}', k.image, k.slot,
        case when f.source = s.source then f.line::varchar else concat(f.source, ':', f.line) end
    ) end) as reason,
    case
        when i.fault is not null or k.fault is not null or k.position > f.first_position then left(coalesce(s.raw, s.text), 2000)
    end as raw,
    coalesce((s.pair).side in ('B', 'C', 'right'), true) as leads
from keyed as k
join staged as s using (position)
left join first_place as f on f.image = k.image and f.slot = k.slot
left join split_list as l on l.image = k.image
left join spoilt_item as i on i.source = s.source and i.image = k.image and i.number = (s.pair).pair
