-- name: slot_order
-- version: 2
-- grain: image
-- reads: reference, caption
-- returns: image_no, captions, by_length, by_spelling
-- order: image_no
--
-- Whether captions of an image are sorted, slot by slot, by length (in characters) or by spelling: 1 is longest last or
-- a to z, -1 the reverse, 0 neither. It is null if neighbors are equally long (or equal), and for one caption.
with step as (
    select
        r.image_no,
        sign(length(c.text) - lag(length(c.text)) over slots) as longer,
        (c.text > lag(c.text) over slots)::integer - (c.text < lag(c.text) over slots)::integer as later
    from reference as r
    join caption as c using (caption_id)
    window slots as (partition by r.image_no order by r.slot)
)
select
    image_no, count(*)::uinteger as captions,
    case when bool_or(longer = 0) or count(*) = 1 then null when min(longer) = max(longer) then min(longer) else 0 end
        as by_length,
    case when bool_or(later = 0) or count(*) = 1 then null when min(later) = max(later) then min(later) else 0 end
        as by_spelling
from step
group by image_no
order by image_no
