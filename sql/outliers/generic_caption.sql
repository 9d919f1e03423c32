-- name: generic_caption
-- version: 1
-- grain: caption whose words describe several images
-- reads: reference, text_tokens
-- returns: image, slot, images
-- order: image_no, slot
--
-- The captions with the same words as a caption of another image, in any order: they fit both, as in the sidebar of a
-- site, or in sentences on what has changed between two images. `images` counts the images.
with worded as (
    select r.image_no, r.image, r.slot, list_sort(list_distinct(t.tokens)) as words
    from reference as r
    join text_tokens as t on t.caption_id = r.caption_id
)
select image, slot, count(distinct image_no) over (partition by words) as images
from worded
qualify images > 1
order by image_no, slot
