-- name: annotation_as_of
-- version: 1
-- grain: annotated caption
-- params: dataset VARCHAR, seq INTEGER
-- reads: annotation
-- returns: image, slot, phrases, judgements, pair, triplet, occurrences
--
-- What a version knows of its captions beside their texts.
select image, slot, phrases, judgements, pair, triplet, occurrences
from annotation
where dataset = $dataset::varchar and from_seq <= $seq::integer and (to_seq is null or to_seq > $seq::integer)
