-- name: syntax_total
-- version: 1
-- grain: statistic
-- reads: image_count, syntax_definition
-- returns: class, images, part, whole, part_square, whole_square, product
-- order: class
-- cites: Cochran 1977, section 6.3: what the interval of a ratio over images needs
--
-- Each statistic as a ratio of what is counted, summed over images: its part, its whole, their squares and product.
with per_image as (
    select
        d.class, c.image_no,
        coalesce(sum(c.number) filter (where d.side = 'part'), 0) as part,
        coalesce(sum(c.number) filter (where d.side = 'whole'), 0) as whole
    from image_count as c
    join syntax_definition as d on d.counted = c.counted
    group by d.class, c.image_no
)
select
    class,
    (select count(distinct image_no) from image_count) as images,
    sum(part)::bigint as part,
    sum(whole)::bigint as whole,
    sum(part * part)::bigint as part_square,
    sum(whole * whole)::bigint as whole_square,
    sum(part * whole)::bigint as product
from per_image
group by class
order by class
