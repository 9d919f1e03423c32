-- name: end_rate
-- version: 1
-- grain: place
-- reads: length_end_count
-- returns: place, millionths, open_share
--
-- How many of a million captions with a word at a place end there, and the share of all captions without a full stop.
-- Any caption can end early: they are at least 20,000. Where none ends, they are those of the next place where one does.
with sized as (select size, sum(captions)::bigint as captions from length_end_count group by size),
ended as (select size, captions / sum(captions) over (order by size desc) as share from sized)
select
    p.place, round(1000000 * greatest(0.02, arg_min(e.share, e.size)))::integer as millionths,
    (select sum(if(is_open, captions, 0)) / sum(captions) from length_end_count) as open_share
from (select unnest(range(2, max(size) + 1)) as place from sized) as p
join ended as e on e.size >= p.place
group by p.place
