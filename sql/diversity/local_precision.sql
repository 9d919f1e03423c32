-- name: local_precision
-- version: 1
-- grain: words of a kind
-- reads: local_precision_word
-- returns: class, images, part, whole, part_square, whole_square, product
-- order: class desc
-- cites: van Miltenburg et al. 2018, section 5.1: local precision
--
-- The words of candidates (whole), and those in a reference of the image (part), over images: content words, and all.
with per_image as (
    select
        image_no,
        count(*) filter (where is_content) as content_words,
        count(*) filter (where is_content and supported) as content_supported,
        count(*) as words,
        count(*) filter (where supported) as supported
    from local_precision_word
    group by image_no
),
listed as (
    select 'content' as class, content_words as whole, content_supported as part
    from per_image
    where content_words > 0
    union all
    select 'all' as class, words as whole, supported as part
    from per_image
)
select class, count(*) as images, unnest(ratio_sums(part, whole))
from listed
group by class
order by class desc
