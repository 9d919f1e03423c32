-- name: object_in_image
-- version: 1
-- grain: image and object that it has or that a caption mentions
-- reads: reference, object_in_caption, listed_object, object_form
-- returns: image, object, mentions, wrong_mentions, listed, found
-- order: image, object
--
-- Mentions of an object in the captions of an image, those of objects that the image lacks, and for objects that it has
-- the captions that could mention them (`listed`) and those that do (`found`). Objects without a synonym do not count.
with described as (select image, image_key(image) as image_key, count(*) as captions from reference group by image),
had as (
    select d.image, l.object, d.captions
    from described as d
    join listed_object as l on l.image_key = d.image_key
    where l.object in (select object from object_form)
),
mentioned as (
    select
        image, object, count(*) as mentions, count(*) filter (where not is_present) as wrong_mentions,
        count(distinct slot) filter (where is_present) as found
    from object_in_caption
    group by image, object
)
select
    coalesce(m.image, h.image) as image,
    coalesce(m.object, h.object) as object,
    coalesce(m.mentions, 0) as mentions,
    coalesce(m.wrong_mentions, 0) as wrong_mentions,
    coalesce(h.captions, 0) as listed,
    coalesce(m.found, 0) as found
from mentioned as m
full join had as h on h.image = m.image and h.object = m.object
order by image, object
