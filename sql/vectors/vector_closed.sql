-- name: vector_closed
-- version: 1
-- grain: image or text
-- params: dataset VARCHAR
-- reads: accepted_vector, staged_vector, vector
-- returns: image, text
-- order: v.image, v.text
--
-- Current vectors that the new version changes or does not have.
select v.image, v.text
from vector as v
left join accepted_vector as a on a.image is not distinct from v.image and a.text is not distinct from v.text
left join staged_vector as n on n.position = a.position
where v.dataset = $dataset::varchar and v.to_seq is null and n.vector is distinct from v.vector
order by v.image, v.text
