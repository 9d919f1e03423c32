-- name: placed_hash
-- version: 1
-- grain: image; caption with a word
-- params: bucket UBIGINT, partitions UINTEGER
-- reads: kept_caption
-- returns: partition, is_text, key, value, split, list_no, letters
-- order: partition, is_text, key, value, list_no
--
-- The images and texts of a bucket, in partitions where equal ones of all buckets meet. The `value` of an image is the
-- bucket, that of a text a hash of the image. Equal texts have the same tokens, equal `letters` also the same letters.
with listed as (
    select
        image, split, text, words,
        row_number() over (partition by image order by slot)::uinteger as list_no
    from kept_caption
),
keyed as (
    select distinct
        false as is_text, image as key, $bucket::ubigint as value, null::varchar as split, null::uinteger as list_no,
        null::ubigint as letters
    from kept_caption
    union all
    select true, md5(words), hash(image), split, list_no, hash(nfc_normalize(trim(text, e' \t\r\n')))
    from listed
    where words <> ''
)
select
    (hash(key) % $partitions::uinteger)::uinteger as partition, is_text, key, value, split, list_no, letters
from keyed
order by partition, is_text, key, value, list_no
