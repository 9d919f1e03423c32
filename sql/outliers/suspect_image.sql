-- name: suspect_image
-- version: 2
-- grain: caption that may be of another image, image
-- reads: suspect_caption, likely_images
-- returns: suspect_no, image_no, is_own
--
-- Every image that a caption in doubt is put against: its own, those that are like it, and, because two captions may
-- have changed places, the image of any caption in doubt that is like its own.
with likened as (
    select distinct here.image_no, l.image_no as other_no
    from likely_images as l
    join suspect_caption as here using (suspect_no)
),
exchanged as (
    select there.suspect_no, l.image_no
    from likened as l
    join suspect_caption as there on there.image_no = l.other_no
)
select suspect_no, image_no, true as is_own from suspect_caption
union all
select suspect_no, image_no, false from (
    select suspect_no, image_no from likely_images
    union
    select suspect_no, image_no from exchanged
)
