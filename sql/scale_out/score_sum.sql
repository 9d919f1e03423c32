-- name: score_sum
-- version: 1
-- grain: metric, number of captions of an image
-- reads: score_of_bucket
-- returns: metric, captions_each, images, captions, total, squares, image_squares, least, greatest, least_image, greatest_image
-- order: metric, captions
--
-- Exact sums for means and standard deviations: scores are multiples of 10^-12, and summed as integers in that unit.
-- Over captions: `total`, the sum of `squares`, the `least` and the `greatest`. Over images: the squares of their
-- totals, the least and the greatest of these. Sums are text, because files have no integers of 128 bits.
with scored as (select metric, image, round(value * 1000000000000)::hugeint as score from score_of_bucket),
of_image as (
    select
        metric, image,
        count(*) as captions,
        sum(score) as total,
        sum(score * score) as squares,
        min(score) as least,
        max(score) as greatest
    from scored
    group by metric, image
)
select
    metric, captions as captions_each,
    count(*) as images,
    sum(captions)::bigint as captions,
    sum(total)::varchar as total,
    sum(squares)::varchar as squares,
    sum(total * total)::varchar as image_squares,
    min(least)::varchar as least,
    max(greatest)::varchar as greatest,
    min(total)::varchar as least_image,
    max(total)::varchar as greatest_image
from of_image
group by metric, captions
order by metric, captions
