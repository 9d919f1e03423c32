-- name: task_pair
-- version: 1
-- grain: pair of sides of an image
-- reads: side_at_work
-- returns: image, place, category, origin_b, origin_c, held_out_b, held_out_c, b, c
-- cites: Vedantam et al. 2015, section 6: HC, HI, HM, MM; section 7.3: all pairs of five systems
--
-- Every two sides of an image as candidates B and C, in the order of the sides. Pairs of none of the four kinds have
-- no category, such as a system's caption with one of another image.
with kind (author_b, author_c, category) as (
    values
        ('human', 'human', 'HC'), ('human', 'another', 'HI'), ('another', 'human', 'HI'),
        ('human', 'machine', 'HM'), ('machine', 'human', 'HM'), ('machine', 'machine', 'MM')
)
select
    b.image,
    row_number() over (partition by b.image order by b.side_no, c.side_no)::uinteger as place,
    k.category, b.origin as origin_b, c.origin as origin_c, b.held_out as held_out_b, c.held_out as held_out_c,
    b.text as b, c.text as c
from side_at_work as b
join side_at_work as c on c.image = b.image and c.side_no > b.side_no
left join kind as k on k.author_b = b.author and k.author_c = c.author
