-- name: choice_caption
-- version: 1
-- grain: forced-choice item, caption of it
-- reads: choice_item
-- returns: item_no, image, side, caption_id
--
-- The captions of each item, one row each: side right, right2 or wrong.
select item_no, image, 'right' as side, right_id as caption_id from choice_item
union all
select item_no, image, 'right2', right2_id from choice_item where right2_id is not null
union all
select item_no, image, 'wrong', wrong_id from choice_item
