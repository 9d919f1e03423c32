-- name: judged
-- version: 1
-- grain: record of a source
-- params: empty_allowed BOOLEAN
-- reads: staged, split_list
-- returns: source, line, image, slot, split, text, reason, raw
--
-- Every record that was read, with the reason why it is refused: the reader's own, an empty caption (allowed in a
-- system's output, which is scored as it is), or a key that an earlier record has. A null reason accepts it.
with readable as (
    select
        source, line, image, slot, text, raw, reason,
        coalesce(reason, case when trim(text, e' \t\r\n') = '' and not $empty_allowed::boolean then 'empty caption' end) as fault
    from staged
),
keyed as (
    select
        source, line, image, slot, text, raw, fault,
        case when fault is null then min(line) over (partition by image, slot, fault) end as first_line
    from readable
)
select
    k.source,
    k.line,
    k.image,
    k.slot,
    s.split,
    k.text,
    case
        when k.fault is not null then k.fault
        when k.line > k.first_line then format('duplicate key {}#{}, first at {}', k.image, k.slot, k.first_line)
    end as reason,
    left(coalesce(k.raw, k.text), 2000) as raw
from keyed as k
left join split_list as s using (image)
