-- name: content_annotation
-- version: 1
-- grain: annotated caption
-- reads: content, annotated
-- returns: image, slot, phrases, judgements, pair, triplet, occurrences
-- order: a.image, a.slot
--
-- The annotations of the captions of a selection, in addition to their texts, in the order of the captions.
select a.image, a.slot, a.phrases, a.judgements, a.pair, a.triplet, a.occurrences
from annotated as a
semi join content as c using (image, slot)
order by a.image, a.slot
