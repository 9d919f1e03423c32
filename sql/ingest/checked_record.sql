-- name: checked_record
-- version: 3
-- grain: record of a source
-- params: empty_allowed BOOLEAN
-- reads: staged, split_list
-- returns: position, source, unit, line, image, slot, split, text, reason, raw
--
-- Every record that was read, with its place among the captions of its image and the reason why it is refused: the
-- reader's own, a caption without a visible character (allowed in a system's output, which is scored as it is), an
-- identifier or a key that an earlier record has. A null reason accepts it; `raw` is of the others. An empty caption keeps
-- its place among the others of its image, so that filling it in moves none.
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
)
select
    k.position, s.source, s.unit, s.line, k.image, k.slot::uinteger as slot, coalesce(s.split, l.split) as split, s.text,
    case
        when k.fault is not null then k.fault
        when k.position > f.first_position then format(
            'duplicate key {}#{}, first at {}', k.image, k.slot,
            case when f.source = s.source then f.line::varchar else concat(f.source, ':', f.line) end
        )
    end as reason,
    case when k.fault is not null or k.position > f.first_position then left(coalesce(s.raw, s.text), 2000) end as raw
from keyed as k
join staged as s using (position)
left join first_place as f on f.image = k.image and f.slot = k.slot
left join split_list as l on l.image = k.image
