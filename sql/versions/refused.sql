-- name: refused
-- version: 1
-- grain: refused record
-- reads: judged
-- returns: source, unit, line, reason, raw
--
-- What an ingest refuses, in the order in which it was read.
select source, unit, line, reason, raw
from judged
where reason is not null
order by position
