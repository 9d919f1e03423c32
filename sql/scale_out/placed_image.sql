-- name: placed_image
-- version: 1
-- grain: image
-- params: partitions UINTEGER
-- reads: kept_caption
-- returns: partition, image
-- order: partition, image
--
-- The images of a bucket, in partitions where equal ones of all buckets meet.
select distinct (hash(image) % $partitions::uinteger)::uinteger as partition, image
from kept_caption
order by partition, image
