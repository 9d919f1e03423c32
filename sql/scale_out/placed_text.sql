-- name: placed_text
-- version: 3
-- grain: caption
-- params: bucket UINTEGER, buckets UINTEGER, partitions UINTEGER
-- reads: searched_text, caption
-- returns: partition, image_no, image, slot, split, tokens, of_slot, list_no, letters
-- order: partition, image_no, s.slot
--
-- The captions of a bucket, in partitions where equal texts of all buckets meet. The numbers of images are unique over
-- all buckets. Captions with equal `letters` have the same letters.
select
    (hash(s.tokens) % $partitions::uinteger)::uinteger as partition,
    (s.image_no * $buckets::uinteger + $bucket::uinteger)::uinteger as image_no,
    s.image, s.slot, s.split, s.tokens, s.of_slot,
    row_number() over (partition by s.image_no order by s.slot)::uinteger as list_no,
    hash(nfc_normalize(trim(c.text, e' \t\r\n'))) as letters
from searched_text as s
join caption as c using (caption_id)
order by partition, image_no, s.slot
