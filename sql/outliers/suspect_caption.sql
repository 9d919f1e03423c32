-- name: suspect_caption
-- version: 2
-- grain: caption that may be of another image, or that is put at another
-- params: decoys INTEGER
-- reads: chosen_caption, reference
-- returns: suspect_no, image_no, slot, caption_id, home_no
--
-- The suspect captions, numbered from 1 in order of image and slot, and then the decoys, with their assigned image:
-- captions assigned to a wrong image, so the correct answer is known. The sample is by an md5 of (image, slot), which
-- also selects the image. A dataset with one image has no decoys.
with lots as (
    select
        image_no, slot, caption_id, max(image_no) over () as images,
        md5_number(concat_ws(chr(31), 'decoy', image, slot)) as lot
    from reference
),
every_one as (
    select r.image_no, r.slot, r.caption_id, null::uinteger as home_no
    from reference as r
    join chosen_caption as s on s.image = r.image and s.slot = r.slot
    union all
    select image_no, slot, caption_id, ((image_no + remainder_of(lot, images - 1)::uinteger) % images + 1)::uinteger
    from lots
    where images > 1
    qualify row_number() over (order by lot, image_no, slot) <= $decoys::integer
)
select
    row_number() over (order by home_no is not null, image_no, slot)::integer as suspect_no,
    image_no, slot, caption_id, home_no
from every_one
