-- name: related
-- version: 2
-- grain: dataset
-- params: dataset VARCHAR
-- reads: dataset, version
-- returns: dataset, kind, place
-- order: n.other
--
-- The datasets in the store that share images or captions with a dataset; place is that in the declaration, from 1.
with named as (
    select unnest(related) as other, generate_subscripts(related, 1) as place
    from dataset
    where dataset = $dataset::varchar
)
select n.other as dataset, d.kind, min(n.place)::uinteger as place
from named as n
join dataset as d on d.dataset = n.other
semi join version as v on v.dataset = n.other
group by n.other, d.kind
order by n.other
