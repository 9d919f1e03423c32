-- name: annotation_as_of
-- version: 1
-- grain: annotated caption
-- params: dataset VARCHAR, seq INTEGER
-- reads: annotation
-- returns: image, slot, phrases, judgements, pair, triplet, occurrences
--
-- The annotations of the captions of a version, in addition to their texts.
select image, slot, phrases, judgements, pair, triplet, occurrences
from annotation
where dataset = $dataset::varchar and is_held(from_seq, to_seq, $seq::integer)
