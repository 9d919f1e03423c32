-- name: content_accepted
-- version: 1
-- grain: caption
-- reads: judged
-- returns: image, slot, split, text
--
-- What an ingest brings: the accepted records.
select image, slot, split, text
from judged
where reason is null
