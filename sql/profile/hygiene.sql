-- name: hygiene
-- version: 5
-- grain: statistic, caption
-- reads: reference, sign, script, length, copy, leak, image_captions, slot_order
-- returns: statistic, image_no, slot, caption_id
--
-- The selected captions in each hygiene count; for counts of images, all captions of each image.
with image_sign (statistic, image_no) as (
    select 'images-with-another-number-of-captions', image_no from image_captions where captions <> usual
    union all
    select 'images-in-several-splits', image_no from image_captions where splits > 1
    union all
    select 'images-with-captions-sorted-by-length', image_no from slot_order where by_length = -1
),
caption_sign (statistic, image_no, slot) as (
    select statistic, image_no, slot from sign where statistic is not null
    union all
    select 'captions-of-mixed-scripts', r.image_no, r.slot
    from script as s
    join reference as r using (caption_id)
    where s.is_mixed
    union all
    select 'captions-of-one-or-two-words', image_no, slot from length where tokens between 1 and 2
    union all
    select 'captions-of-unusual-length', image_no, slot from length where is_unusual
    union all
    select 'captions-on-several-images', image_no, slot from copy
    union all
    select 'captions-in-several-splits', image_no, slot from leak
)
select s.statistic, r.image_no, r.slot, r.caption_id
from caption_sign as s
join reference as r using (image_no, slot)
union all
select s.statistic, r.image_no, r.slot, r.caption_id
from image_sign as s
join reference as r using (image_no)
