-- name: difference
-- version: 2
-- grain: kind of change
-- reads: change
-- returns: change, images, captions
-- order: k.position
--
-- The number of images and captions with each kind of change, from one content to another.
with kind (position, change) as (
    values (1, 'added'), (2, 'removed'), (3, 'edited'), (4, 'moved to another split'), (5, 'rated otherwise')
)
select k.change, count(distinct c.image)::integer as images, count(c.image)::integer as captions
from kind as k
left join change as c using (change)
group by k.position, k.change
order by k.position
