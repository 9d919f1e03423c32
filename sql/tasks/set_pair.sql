-- name: set_pair
-- version: 1
-- grain: pair of lists of captions of a set of similar images
-- reads: set_member, task_pair
-- returns: image, place, category, origin_b, origin_c, held_out_b, held_out_c, b, c
--
-- The candidates of all images of a set, as one list each: “(1) a dog runs (2) a cat sits”, in the order of the images.
-- Sets with an image that one of the candidates does not describe are left out. Rows are those of `task_pair`.
with size as (select image, count(*) as images from set_member group by image)
select
    s.image, p.place, any_value(p.category) as category, any_value(p.origin_b) as origin_b, any_value(p.origin_c) as origin_c,
    null::uinteger as held_out_b, null::uinteger as held_out_c,
    string_agg(format('({}) {}', s.place, trim(p.b)), ' ' order by s.place) as b,
    string_agg(format('({}) {}', s.place, trim(p.c)), ' ' order by s.place) as c
from set_member as s
join task_pair as p on p.image = s.member
join size as n on n.image = s.image
where trim(p.b) <> '' and trim(p.c) <> ''
group by s.image, p.place, n.images
having count(*) = n.images and count(distinct p.origin_b) = 1 and count(distinct p.origin_c) = 1
