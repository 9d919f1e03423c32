-- name: identical_counts
-- version: 1
-- grain: selection
-- reads: caption_words, reference
-- returns: captions, images, wordless, twins, images_with_twins, pairs, images_all_identical
-- cites: Wang & Gaizauskas 2016, section 4.1
--
-- How many captions have an identical one at the same image. Counted without the pairs, whose number is the square of
-- the captions'.
with said as (
    select image_no, words, count(*) as captions
    from caption_words
    group by image_no, words
),
per_image as (
    select
        image_no, max(captions) as most,
        coalesce(sum(captions) filter (where captions > 1), 0) as twins,
        sum(captions * (captions - 1) // 2) as pairs
    from said
    group by image_no
),
described as (
    select image_no, count(*) as captions, count(*) filter (where length = 0) as wordless
    from reference
    group by image_no
)
select
    coalesce(sum(d.captions), 0)::bigint as captions,
    count(*) as images,
    coalesce(sum(d.wordless), 0)::bigint as wordless,
    coalesce(sum(p.twins), 0)::bigint as twins,
    count(*) filter (where p.twins > 0) as images_with_twins,
    coalesce(sum(p.pairs), 0)::bigint as pairs,
    count(*) filter (where d.captions > 1 and p.most = d.captions) as images_all_identical
from described as d
left join per_image as p using (image_no)
