-- name: version_hash
-- version: 2
-- grain: dataset version
-- reads: content
-- returns: version, images, captions
--
-- sha256 over the sorted (image, slot, split, text): first of each image's rows, then of the images. Every field is
-- preceded by its length in bytes, so that no two contents give the same bytes; "-" stands for no split. What people
-- said of a caption, their votes, follows its text.
with encoded as (
    select
        image,
        slot,
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
        sha256(concat(strlen(image), ':', image, chr(10), string_agg(row_text, chr(10) order by slot))) as image_hash
    from encoded
    group by image
)
select
    sha256(coalesce(string_agg(image_hash, '' order by image), '')) as version,
    count(*)::integer as images,
    coalesce(sum(captions), 0)::integer as captions
from per_image
