-- name: image_change
-- version: 2
-- grain: image
-- reads: change
-- returns: image, added, removed, edited, moved, rated
-- order: image
--
-- The number of changed captions of each image, by kind; images without a change have no row.
select
    image,
    (count(*) filter (where change = 'added'))::integer as added,
    (count(*) filter (where change = 'removed'))::integer as removed,
    (count(*) filter (where change = 'edited'))::integer as edited,
    (count(*) filter (where change = 'moved to another split'))::integer as moved,
    (count(*) filter (where change = 'rated otherwise'))::integer as rated
from change
group by image
order by image
