-- name: annotation_orphaned
-- version: 1
-- grain: annotated caption
-- params: dataset VARCHAR, seq INTEGER
-- reads: annotation, membership
-- returns: image, slot
--
-- Annotations whose caption has another text since version $seq, or none. A source that knows texts only leaves the
-- annotations of the others standing.
with before as (
    select image, slot, caption_id
    from membership
    where dataset = $dataset::varchar and from_seq < $seq::integer and (to_seq is null or to_seq >= $seq::integer)
),
now_standing as (
    select image, slot, caption_id
    from membership
    where dataset = $dataset::varchar and to_seq is null
)
select a.image, a.slot
from annotation as a
join before as b using (image, slot)
anti join now_standing as n on n.image = a.image and n.slot = a.slot and n.caption_id = b.caption_id
where a.dataset = $dataset::varchar and a.to_seq is null
