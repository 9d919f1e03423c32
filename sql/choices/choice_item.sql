-- name: choice_item
-- version: 3
-- grain: forced-choice item
-- params: confirmed INTEGER
-- reads: choice_side
-- returns: item_no, item, part, image, options, slot_right, slot_wrong, right_id, right2_id, wrong_id, asked_id, votes_right, votes_wrong
-- order: item_no
--
-- Items in the order of the source: captions of an image, or options of a question; all but one or two are wrong. A
-- second right caption is null for items that have only one. `wrong_id` is the first wrong one. Names identify items,
-- since each part of a source has separate numbers. With $confirmed, only items whose right caption has that many votes.
with item as (
    select
        image, item,
        min(number) filter (where side = 'right') as number,
        min(part) filter (where side = 'right') as part,
        count(*) filter (where side <> 'question') as options,
        min(slot) filter (where side = 'right') as slot_right,
        min(slot) filter (where starts_with(side, 'wrong')) as slot_wrong,
        min(caption_id) filter (where side = 'right') as right_id,
        min(caption_id) filter (where side = 'right2') as right2_id,
        arg_min(caption_id, slot) filter (where starts_with(side, 'wrong')) as wrong_id,
        min(caption_id) filter (where side = 'question') as asked_id,
        min(votes) filter (where side = 'right') as votes_right,
        min(votes) filter (where side = 'wrong') as votes_wrong
    from choice_side
    group by image, item
)
select
    row_number() over (order by number, item)::uinteger as item_no, item, part, image, options::utinyint as options,
    slot_right, slot_wrong, right_id, right2_id, wrong_id, asked_id, votes_right, votes_wrong
from item
where right_id is not null and wrong_id is not null and ($confirmed::integer is null or votes_right >= $confirmed::integer)
order by item_no
