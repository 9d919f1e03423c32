-- name: syntax_total
-- version: 2
-- grain: statistic
-- reads: reference, text_count, syntax_definition
-- returns: class, images, part, whole, part_square, whole_square, product
-- order: class
-- cites: Cochran 1977, section 6.3: what the interval of a ratio over images needs
--
-- Each statistic as a ratio of counts, summed over images: its part, its whole, their squares and product.
with image_count as materialized (
    select r.image_no, t.counted, sum(t.number)::bigint as number
    from reference as r
    join text_count as t using (caption_id)
    group by r.image_no, t.counted
    union all
    select image_no, 'caption' as counted, count(*) as number
    from reference
    group by image_no
),
per_image as (
    select
        d.class, c.image_no,
        coalesce(sum(c.number) filter (where d.side = 'part'), 0) as part,
        coalesce(sum(c.number) filter (where d.side = 'whole'), 0) as whole
    from image_count as c
    join syntax_definition as d on d.counted = c.counted
    group by d.class, c.image_no
)
select class, (select count(distinct image_no) from image_count) as images, unnest(ratio_sums(part, whole))
from per_image
group by class
order by class
