-- name: refused
-- version: 2
-- grain: rejected record
-- reads: checked_record
-- returns: source, unit, line, reason, raw
-- order: position
--
-- The rejected records of an ingest, in the order of the source; a forced-choice item counts once.
select source, unit, line, reason, raw
from checked_record
where reason is not null and leads
order by position
