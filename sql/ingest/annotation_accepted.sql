-- name: annotation_accepted
-- version: 1
-- grain: annotated caption
-- reads: checked_record, staged
-- returns: image, slot, phrases, judgements, pair, triplet, occurrences
--
-- The annotations of the accepted captions, in addition to their texts.
select j.image, j.slot, s.phrases, s.judgements, s.pair, s.triplet, s.occurrences
from staged as s
join checked_record as j using (position)
where j.reason is null
    and (
        s.phrases is not null or s.judgements is not null or s.pair is not null or s.triplet is not null
        or s.occurrences is not null
    )
