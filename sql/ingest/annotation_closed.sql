-- name: annotation_closed
-- version: 1
-- grain: annotated caption
-- params: dataset VARCHAR
-- reads: annotated, annotation
-- returns: image, slot
--
-- Annotations that were valid until now and are not in the annotated source.
select a.image, a.slot
from annotation as a
anti join annotated as n
    on n.image = a.image and n.slot = a.slot and n.phrases is not distinct from a.phrases
    and n.judgements is not distinct from a.judgements and n.pair is not distinct from a.pair
    and n.triplet is not distinct from a.triplet and n.occurrences is not distinct from a.occurrences
where a.dataset = $dataset::varchar and a.to_seq is null
