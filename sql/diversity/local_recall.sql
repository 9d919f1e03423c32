-- name: local_recall
-- version: 1
-- grain: importance class
-- reads: local_recall_word
-- returns: class, images, part, whole, part_square, whole_square, product
-- order: try_cast(class as integer) nulls last
-- cites: van Miltenburg et al. 2018, section 3.2, eq. 8 as its text and the authors' program read it
--
-- The number of words of each importance (whole), and how many are recalled (part); totals over images. `majority`
-- combines the words of importance 3 and more. Squares and products are summed for the interval of the ratio.
with per_class as (
    select image_no, importance, count(*) as words, count(*) filter (where recalled) as recalled
    from local_recall_word
    group by image_no, importance
),
per_image as (
    select importance::varchar as class, words, recalled
    from per_class
    union all
    select 'majority' as class, sum(words) as words, sum(recalled) as recalled
    from per_class
    where importance >= 3
    group by image_no
)
select class, count(*) as images, unnest(ratio_sums(recalled, words))
from per_image
group by class
order by try_cast(class as integer) nulls last
