-- name: suspect_caption
-- version: 2
-- grain: caption that may be of another image, or that is put at another
-- reads: chosen_caption, reference, decoy_caption
-- returns: suspect_no, image_no, slot, caption_id, home_no
--
-- The suspect captions, numbered from 1 in order of image and slot, and then the decoys, with their assigned image.
with every_one as (
    select r.image_no, r.slot, r.caption_id, null::uinteger as home_no
    from reference as r
    join chosen_caption as s on s.image = r.image and s.slot = r.slot
    union all
    select image_no, slot, caption_id, home_no from decoy_caption
)
select
    row_number() over (order by home_no is not null, image_no, slot)::integer as suspect_no,
    image_no, slot, caption_id, home_no
from every_one
