-- name: shared_before
-- version: 1
-- grain: dataset
-- params: dataset VARCHAR, seq INTEGER
-- reads: membership
-- returns: texts, images
--
-- How many different texts of version $seq are in the version before it, at any image, and how many of its images.
with before as (
    select caption_id, image
    from membership
    where dataset = $dataset::varchar and from_seq < $seq::integer and (to_seq is null or to_seq >= $seq::integer)
)
select
    count(distinct caption_id) filter (where caption_id in (select caption_id from before)) as texts,
    count(distinct image) filter (where image in (select image from before)) as images
from membership
where dataset = $dataset::varchar and is_held(from_seq, to_seq, $seq::integer)
