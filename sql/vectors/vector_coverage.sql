-- name: vector_coverage
-- version: 1
-- grain: image
-- params: dataset VARCHAR, seq INTEGER, split VARCHAR, vectors VARCHAR, vectors_seq INTEGER
-- reads: membership, vector
-- returns: image, has_captions, has_vector
-- order: image
--
-- Images of a selection of captions and of a version of vectors: whether they have captions, and a vector.
with described as (
    select distinct image
    from membership
    where dataset = $dataset::varchar and is_held(from_seq, to_seq, $seq::integer)
        and ($split::varchar is null or split = $split::varchar)
),
seen as (
    select image
    from vector
    where dataset = $vectors::varchar and is_held(from_seq, to_seq, $vectors_seq::integer) and image is not null
)
select image, d.image is not null as has_captions, s.image is not null as has_vector
from described as d
full join seen as s using (image)
order by image
