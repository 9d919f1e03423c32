-- name: vector_as_of
-- version: 1
-- grain: image or text
-- params: vectors VARCHAR, vectors_seq INTEGER
-- reads: vector
-- returns: image, text, vector
--
-- The vectors of a version.
select image, text, vector
from vector
where dataset = $vectors::varchar and is_held(from_seq, to_seq, $vectors_seq::integer)
