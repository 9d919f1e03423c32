-- name: model_side
-- version: 2
-- grain: caption
-- reads: trained_caption, choice_caption
-- returns: selection_no, image_no, side, caption_id, length, place
--
-- The captions for a language model in the form of `train_test_half`: its training captions, and each caption of an item once.
select
    0::uinteger as selection_no, image_no, 'train' as side, caption_id, length,
    row_number() over (order by caption_id, image_no) as place
from trained_caption
union all
select 0::uinteger, 0::uinteger, 'test', caption_id, 0::uinteger, row_number() over (order by caption_id)
from (select distinct caption_id from choice_caption)
