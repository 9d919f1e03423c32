-- name: end_rate
-- version: 1
-- grain: place
-- reads: length_end_count
-- returns: place, share, open_share
--
-- The share of the captions with a word at a place that end there, and the share of all captions without a full stop.
-- Any caption can end early: the share is at least 0.02. Where none ends, it is that of the next place where one does.
with sized as (select size, sum(captions)::bigint as captions from length_end_count group by size),
ended as (select size, captions / sum(captions) over (order by size desc) as share from sized)
select
    p.place, greatest(0.02, arg_min(e.share, e.size))::decimal(9, 6) as share,
    (select sum(if(is_open, captions, 0)) / sum(captions) from length_end_count) as open_share
from (select unnest(range(2, max(size) + 1)) as place from sized) as p
join ended as e on e.size >= p.place
group by p.place
