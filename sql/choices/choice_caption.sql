-- name: choice_caption
-- version: 2
-- grain: forced-choice item, caption of it
-- reads: choice_item, choice_side
-- returns: item_no, image, side, slot, caption_id, place
--
-- The captions or options of each item, one row each. `place` is the position among the options, from 1; null if they
-- have no order. The right one has the place that the wrong ones leave.
with numbered as (
    select image, item, side, slot, caption_id, if(starts_with(side, 'wrong'), try_cast(substr(side, 6) as integer), null) as own
    from choice_side
    where side <> 'question'
)
select
    i.item_no, i.image, n.side, n.slot, n.caption_id,
    case
        when n.side <> 'right' then n.own
        when max(n.own) over (partition by i.item_no) is not null
            then i.options * (i.options + 1) // 2 - sum(n.own) over (partition by i.item_no)
    end::utinyint as place
from choice_item as i
join numbered as n on n.image = i.image and n.item = i.item
