-- name: content_accepted
-- version: 2
-- grain: caption
-- reads: checked_record, vote_text
-- returns: image, slot, split, text, votes
--
-- The captions of an ingest: the accepted records. `votes` is the human ratings of them, null for most datasets.
select j.image, j.slot, j.split, j.text, v.votes
from checked_record as j
left join vote_text as v using (image, slot)
where j.reason is null
