-- name: related
-- version: 1
-- grain: dataset
-- params: dataset VARCHAR
-- reads: dataset, version
-- returns: dataset
--
-- The datasets that one shares images or captions with, as far as the store holds them.
with named as (
    select unnest(related) as other
    from dataset
    where dataset = $dataset::varchar
)
select distinct v.dataset
from version as v
semi join named as n on n.other = v.dataset
order by v.dataset
