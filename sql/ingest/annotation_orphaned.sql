-- name: annotation_orphaned
-- version: 2
-- grain: annotated caption
-- params: dataset VARCHAR, seq INTEGER
-- reads: annotation, membership
-- returns: image, slot
--
-- Annotations that are not valid from version $seq on, whose source has only texts: votes, which belong to the content
-- of a version, and the phrases of captions that changed or were removed. Other phrases stay.
with before as (
    select image, slot, caption_id
    from membership
    where dataset = $dataset::varchar and from_seq < $seq::integer and (to_seq is null or to_seq >= $seq::integer)
),
now_standing as (select image, slot, caption_id from membership where dataset = $dataset::varchar and to_seq is null),
unchanged as (select b.image, b.slot from before as b join now_standing as n using (image, slot, caption_id))
select a.image, a.slot
from annotation as a
left join unchanged as u using (image, slot)
where a.dataset = $dataset::varchar and a.to_seq is null
    and (u.image is null or a.judgements is not null or a.pair is not null or a.triplet is not null or a.occurrences is not null)
