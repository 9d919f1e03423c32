-- name: total_score_sum
-- version: 1
-- grain: metric, number of captions of an image
-- reads: score_sum
-- returns: metric, captions_each, images, captions, total, squares, image_squares, least, greatest, least_image, greatest_image
-- order: metric, captions_each
--
-- The sums of all buckets, with the columns that score_sum has for one.
select
    metric, captions_each,
    sum(images)::bigint as images,
    sum(captions)::bigint as captions,
    sum(total::hugeint)::varchar as total,
    sum(squares::hugeint)::varchar as squares,
    sum(image_squares::hugeint)::varchar as image_squares,
    min(least::hugeint)::varchar as least,
    max(greatest::hugeint)::varchar as greatest,
    min(least_image::hugeint)::varchar as least_image,
    max(greatest_image::hugeint)::varchar as greatest_image
from score_sum
group by metric, captions_each
order by metric, captions_each
