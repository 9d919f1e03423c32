-- name: declared_task_pair
-- version: 1
-- grain: pair
-- reads: annotated, answer, content
-- returns: image, place, category, origin_b, origin_c, held_out_b, held_out_c, b, c
--
-- The pairs of a dataset of pairs (relations annotated and answer), for the described images.
with side as (
    select
        n.image, (n.pair).pair as place, (n.pair).side as side, (n.pair).category as category, (n.pair).origin as origin,
        t.text
    from annotated as n
    join answer as t on t.image = n.image and t.slot = n.slot
    semi join content as d on d.image = n.image
    where n.pair is not null
)
select
    b.image, b.place, b.category, b.origin as origin_b, c.origin as origin_c,
    null::uinteger as held_out_b, null::uinteger as held_out_c, b.text as b, c.text as c
from side as b
join side as c on c.image = b.image and c.place = b.place and c.side = 'C'
where b.side = 'B'
