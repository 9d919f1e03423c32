-- name: slot_order
-- version: 1
-- grain: image
-- reads: reference, caption
-- returns: image_no, captions, by_length, by_spelling
-- order: image_no
--
-- Whether the captions of an image are sorted, slot by slot, by length (in characters, so ties are rare) or by
-- spelling: 1 is longest last or a to z, -1 the reverse, 0 neither. Ties fit both directions. The value is null for an
-- image whose captions are all equal, or that has a single caption.
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
    case when min(longer) < 0 and max(longer) > 0 then 0 else nullif(sign(min(longer) + max(longer)), 0) end as by_length,
    case when min(later) < 0 and max(later) > 0 then 0 else nullif(sign(min(later) + max(later)), 0) end as by_spelling
from step
group by image_no
order by image_no
