-- name: split
-- version: 1
-- grain: split
-- params: dataset VARCHAR, seq INTEGER
-- reads: membership
-- returns: split
-- order: split
--
-- The splits of a version, by name.
select distinct split
from membership
where dataset = $dataset::varchar and is_held(from_seq, to_seq, $seq::integer) and split is not null
order by split
