-- name: refused
-- version: 2
-- grain: refused record
-- reads: checked_record
-- returns: source, unit, line, reason, raw
-- order: position
--
-- What an ingest refuses, in the order in which it was read: a forced-choice item once.
select source, unit, line, reason, raw
from checked_record
where reason is not null and leads
order by position
