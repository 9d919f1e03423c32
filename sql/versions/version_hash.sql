-- name: version_hash
-- version: 2
-- grain: dataset version
-- reads: content
-- returns: version, images, captions
--
-- sha256 over the sorted (image, slot, split, text): first of the rows of each image, then of the images. Every field
-- is preceded by its length in bytes, so different contents never give the same bytes; "-" means no split. The human
-- ratings of a caption, its votes, follow its text.
with encoded as (
    select
        image, slot,
        concat(
            slot, ';',
            case when split is null then '-' else concat(strlen(split), ':', split) end, ';',
            strlen(text), ':', text,
            case when votes is not null then concat(';', strlen(votes), ':', votes) end
        ) as row_text
    from content
),
per_image as (
    select
        image,
        count(*) as captions,
        list_transform(list_sort(list({'slot': slot, 'row_text': row_text})), lambda row: row.row_text) as row_texts
    from encoded
    group by image
),
hashed as (
    select
        image, captions, sha256(concat(strlen(image), ':', image, chr(10), array_to_string(row_texts, chr(10)))) as image_hash
    from per_image
)
select
    sha256(coalesce(string_agg(image_hash, '' order by image), '')) as version,
    count(*)::integer as images,
    coalesce(sum(captions), 0)::integer as captions
from hashed
