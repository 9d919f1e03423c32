-- name: vector_closed
-- version: 1
-- grain: image or text
-- params: dataset VARCHAR
-- reads: accepted_vector, vector
-- returns: image, text
--
-- Vectors that stood until now and stand no longer.
select v.image, v.text
from vector as v
left join accepted_vector as n on n.image is not distinct from v.image and n.text is not distinct from v.text
where v.dataset = $dataset::varchar and v.to_seq is null and n.vector is distinct from v.vector
order by v.image, v.text
