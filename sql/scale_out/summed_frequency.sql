-- name: summed_frequency
-- version: 1
-- grain: bucket of images, n-gram
-- reads: partial_frequency
-- returns: bucket, high, low, images
-- order: p.bucket, s.high, s.low
--
-- For each bucket, the number of images of all buckets with each of its n-grams. N-grams of one image, which most are,
-- are left out: queries of document frequencies treat a missing n-gram as one of a single document.
with summed as (
    select high, low, sum(images)::uinteger as images
    from partial_frequency
    group by high, low
    having sum(images) > 1
)
select p.bucket, s.high, s.low, s.images
from partial_frequency as p
join summed as s on s.high = p.high and s.low = p.low
order by p.bucket, s.high, s.low
