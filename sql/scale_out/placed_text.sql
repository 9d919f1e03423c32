-- name: placed_text
-- version: 1
-- grain: caption
-- params: bucket UINTEGER, buckets UINTEGER, partitions UINTEGER
-- reads: searched_text
-- returns: partition, image_no, slot, split, tokens, of_slot
-- order: partition, image_no, s.slot
--
-- The captions of a bucket, in partitions where equal texts of all buckets meet. The numbers of images are unique over
-- all buckets.
select
    (hash(s.tokens) % $partitions::uinteger)::uinteger as partition,
    (s.image_no * $buckets::uinteger + $bucket::uinteger)::uinteger as image_no,
    s.slot, s.split, s.tokens, s.of_slot
from searched_text as s
order by partition, image_no, s.slot
