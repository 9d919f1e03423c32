-- name: image_length
-- version: 1
-- grain: image, list
-- reads: list_caption
-- returns: image_no, list_no, captions, tokens, squares
-- order: image_no, list_no
--
-- The lengths of the captions of an image in each list, summed; a resample of images sums them again.
select
    image_no, list_no,
    count(*) as captions,
    sum(length)::bigint as tokens,
    sum(length::bigint * length)::bigint as squares
from list_caption
group by image_no, list_no
order by image_no, list_no
