-- name: vector_opened
-- version: 1
-- grain: image or text
-- params: dataset VARCHAR, seq INTEGER
-- reads: accepted_vector, staged_vector, vector
-- returns: dataset, image, text, from_seq, vector
--
-- Vectors that are valid from version $seq on, and were not valid in the version before.
select $dataset::varchar as dataset, a.image, a.text, $seq::integer as from_seq, n.vector
from accepted_vector as a
join staged_vector as n using (position)
left join vector as v
    on v.dataset = $dataset::varchar and v.to_seq is null
    and v.image is not distinct from a.image and v.text is not distinct from a.text
where v.vector is distinct from n.vector
