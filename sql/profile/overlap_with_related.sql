-- name: overlap_with_related
-- version: 2
-- grain: selection
-- params: other VARCHAR
-- reads: reference, membership
-- returns: images_also_in, captions_of_the_same_image_in, captions_with_a_text_of
--
-- The overlap of the selected captions with the newest version of another dataset: image ids, captions of the same
-- image, and texts that it has at any image.
with theirs as (select image, caption_id from membership where dataset = $other::varchar and to_seq is null)
select
    count(distinct image) filter (where image in (select image from theirs)) as images_also_in,
    count(*) filter (where (image, caption_id) in (select (image, caption_id) from theirs)) as captions_of_the_same_image_in,
    count(*) filter (where caption_id in (select caption_id from theirs)) as captions_with_a_text_of
from reference
