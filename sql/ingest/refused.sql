-- name: refused
-- version: 1
-- grain: refused record
-- reads: checked_record
-- returns: source, unit, line, reason, raw
-- order: position
--
-- What an ingest refuses, in the order in which it was read.
select source, unit, line, reason, raw
from checked_record
where reason is not null
order by position
