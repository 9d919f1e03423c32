-- name: image
-- version: 1
-- grain: image
-- params: dataset VARCHAR, seq INTEGER, split VARCHAR
-- reads: membership
-- returns: image, split, captions
-- order: image
--
-- The images of a version, with the number of their captions. A null split means all splits.
select image, min(split) as split, count(*)::integer as captions
from membership
where dataset = $dataset::varchar and is_held(from_seq, to_seq, $seq::integer)
    and ($split::varchar is null or split = $split::varchar)
group by image
order by image
