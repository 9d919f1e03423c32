-- name: frequency_so_far
-- version: 1
-- grain: n-gram
-- params: drawn INTEGER
-- reads: growing_frequency
-- returns: gram, images
--
-- Document frequencies of the first drawn captions of each image. N-grams of one image are left out: without a row, an
-- n-gram weighs as much.
select gram, sum(images)::uinteger as images
from growing_frequency
where place <= $drawn::integer
group by gram
having sum(images) > 1
