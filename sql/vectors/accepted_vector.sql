-- name: accepted_vector
-- version: 1
-- grain: image or text
-- reads: staged_vector
-- returns: position, image, text
--
-- The records whose vectors are kept: the first of each image, and of each text.
select position, image, text
from staged_vector
where reason is null
qualify row_number() over (partition by image, text order by position) = 1
