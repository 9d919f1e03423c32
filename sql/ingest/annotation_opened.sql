-- name: annotation_opened
-- version: 1
-- grain: annotated caption
-- params: dataset VARCHAR, seq INTEGER
-- reads: annotated, annotation
-- returns: dataset, image, slot, phrases, judgements, pair, triplet, occurrences, from_seq
-- order: n.image, n.slot
--
-- Annotations that are valid from version $seq on and were not before.
select
    $dataset::varchar as dataset, n.image, n.slot, n.phrases, n.judgements, n.pair, n.triplet, n.occurrences,
    $seq::integer as from_seq
from annotated as n
anti join annotation as a
    on a.dataset = $dataset::varchar and a.to_seq is null and a.image = n.image and a.slot = n.slot
order by n.image, n.slot
