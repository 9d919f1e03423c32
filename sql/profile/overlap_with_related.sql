-- name: overlap_with_related
-- version: 2
-- grain: selection
-- params: other VARCHAR
-- reads: reference, membership
-- returns: images, captions, texts
--
-- The overlap of the selected captions with the newest version of another dataset: image ids, captions of the same
-- image, and texts that it has at any image.
with theirs as (
    select image, caption_id
    from membership
    where dataset = $other::varchar and to_seq is null
)
select
    count(distinct image) filter (where image in (select image from theirs)) as images,
    count(*) filter (where (image, caption_id) in (select (image, caption_id) from theirs)) as captions,
    count(*) filter (where caption_id in (select caption_id from theirs)) as texts
from reference
