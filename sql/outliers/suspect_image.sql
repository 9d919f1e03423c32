-- name: suspect_image
-- version: 3
-- grain: caption that may be of another image, image, place
-- reads: suspect_caption, similar_image
-- returns: suspect_no, image_no, place
--
-- Every image that a suspect caption is compared with: its own, those similar to it (place `other`), and, because
-- captions may be swapped, the image of any suspect caption that is similar to its own. A decoy is also compared with
-- its assigned image (`home`), and with its own image as if it were another (`found`).
with likened as (
    select distinct here.image_no, l.image_no as other_no
    from similar_image as l
    join suspect_caption as here using (suspect_no)
    where here.home_no is null
),
exchanged as (
    select there.suspect_no, l.image_no
    from likened as l
    join suspect_caption as there on there.image_no = l.other_no
    where there.home_no is null
)
select suspect_no, image_no, 'own' as place from suspect_caption
union all
select suspect_no, home_no, 'home' from suspect_caption where home_no is not null
union all
select suspect_no, image_no, 'found' from suspect_caption where home_no is not null
union all
select suspect_no, image_no, 'other' from (
    select suspect_no, image_no from similar_image
    union
    select suspect_no, image_no from exchanged
)
