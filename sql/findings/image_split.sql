-- name: image_split
-- version: 1
-- grain: image in several splits
-- reads: reference
-- returns: image, slot, why, other_image, other_slot
-- order: image
-- merges: not, it compares captions across shards
--
-- Images with captions in several splits, with the first caption of the last split and of the first.
select
    any_value(image) as image, arg_max(slot, split) as slot,
    'in splits ' || string_agg(distinct split, ', ' order by split) as why,
    any_value(image) as other_image, arg_min(slot, split) as other_slot
from reference
where split is not null
group by image_no
having min(split) <> max(split)
order by image
