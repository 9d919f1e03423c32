-- name: caption_objects
-- version: 1
-- grain: caption of a listed image
-- reads: reference, object_in_caption, listed_object
-- returns: image, slot, objects, wrong_mentions
-- order: r.image, r.slot
--
-- How many different objects a caption mentions, and how many of its mentions are of objects that the image lacks.
with counted as (
    select image, slot, count(distinct object) as objects, count(*) filter (where not is_present) as wrong_mentions
    from object_in_caption
    group by image, slot
)
select r.image, r.slot, coalesce(c.objects, 0) as objects, coalesce(c.wrong_mentions, 0) as wrong_mentions
from reference as r
left join counted as c on c.image = r.image and c.slot = r.slot
where image_key(r.image) in (select image_key from listed_object)
order by r.image, r.slot
