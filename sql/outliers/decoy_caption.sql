-- name: decoy_caption
-- version: 2
-- grain: caption that is put at another image
-- params: decoys INTEGER
-- reads: reference
-- returns: image_no, slot, caption_id, home_no
--
-- Captions assigned to a wrong image, so the correct answer is known. The sample is by an md5 of (image,
-- slot), which also selects the image. A dataset with one image has no decoys.
with lots as (
    select
        image_no, slot, caption_id, max(image_no) over () as images,
        md5_number(concat_ws(chr(31), 'decoy', image, slot)) as lot
    from reference
)
select
    image_no, slot, caption_id,
    ((image_no + remainder_of(lot, images - 1)::uinteger) % images + 1)::uinteger as home_no
from lots
where images > 1
qualify row_number() over (order by lot, image_no, slot) <= $decoys::integer
