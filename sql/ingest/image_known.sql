-- name: image_known
-- version: 1
-- grain: dataset
-- params: dataset VARCHAR, seq INTEGER
-- reads: membership
-- returns: shared
--
-- How many images of version $seq are in the version before it.
select count(distinct n.image) as shared
from membership as n
semi join membership as b
    on b.dataset = $dataset::varchar and b.image = n.image
    and b.from_seq < $seq::integer and (b.to_seq is null or b.to_seq >= $seq::integer)
where n.dataset = $dataset::varchar and is_held(n.from_seq, n.to_seq, $seq::integer)
