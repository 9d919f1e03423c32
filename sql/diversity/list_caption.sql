-- name: list_caption
-- version: 1
-- grain: caption
-- params: lists UINTEGER
-- reads: reference
-- returns: list_no, place, image_no, image, slot, caption_id, length
-- cites: van Miltenburg et al. 2018, section 2: several references an image are as many parallel lists
--
-- Each caption in its parallel list: the first captions of all images, the second ones, and so on, up to $lists. With
-- 0, all captions are one list. `place` counts from 1, in order of image and slot.
with ranked as (
    select image_no, image, slot, caption_id, length, row_number() over (partition by image_no order by slot) as number
    from reference
),
chosen as (
    select case when $lists::uinteger = 0 then 1 else number end as list_no, image_no, image, slot, caption_id, length
    from ranked
    where $lists::uinteger = 0 or number <= $lists::uinteger
)
select
    list_no::uinteger as list_no,
    row_number() over (partition by list_no order by image_no, slot)::uinteger as place,
    image_no, image, slot, caption_id, length
from chosen
