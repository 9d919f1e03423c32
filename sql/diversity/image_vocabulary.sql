-- name: image_vocabulary
-- version: 1
-- grain: statistic
-- reads: reference, reference_word_importance
-- returns: class, images, part, whole, part_square, whole_square, product
-- order: class desc
--
-- The number of different words in the captions of one image (types), of content words among them, and types as a
-- share of the tokens of the image; totals over images. An image without tokens counts as one without types.
with spoken as (
    select image_no, count(*) as types, count(*) filter (where importance > 0) as content_types
    from reference_word_importance
    group by image_no
),
per_image as (
    select
        r.image_no, sum(r.length)::bigint as tokens,
        any_value(coalesce(s.types, 0)) as types, any_value(coalesce(s.content_types, 0)) as content_types
    from reference as r
    left join spoken as s using (image_no)
    group by r.image_no
),
listed as (
    select 'image-types' as class, types as part, 1 as whole from per_image
    union all
    select 'image-content-types' as class, content_types as part, 1 as whole from per_image
    union all
    select 'image-ttr' as class, types as part, tokens as whole from per_image where tokens > 0
)
select class, count(*) as images, unnest(ratio_sums(part, whole))
from listed
group by class
order by class desc
