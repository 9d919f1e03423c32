-- name: vector_opened
-- version: 1
-- grain: image or text
-- params: dataset VARCHAR, seq INTEGER
-- reads: accepted_vector, vector
-- returns: dataset, image, text, from_seq, vector
--
-- Vectors that stand from version $seq on and did not stand before it.
select $dataset::varchar as dataset, n.image, n.text, $seq::integer as from_seq, n.vector
from accepted_vector as n
left join vector as v
    on v.dataset = $dataset::varchar and v.to_seq is null
    and v.image is not distinct from n.image and v.text is not distinct from n.text
where v.vector is distinct from n.vector
order by n.image, n.text
