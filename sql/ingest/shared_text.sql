-- name: shared_text
-- version: 1
-- grain: dataset
-- params: dataset VARCHAR, seq INTEGER
-- reads: membership
-- returns: shared
--
-- How many different texts of version $seq are in the version before it, at any image.
select count(distinct n.caption_id) as shared
from membership as n
semi join membership as b
    on b.dataset = $dataset::varchar and b.caption_id = n.caption_id
    and b.from_seq < $seq::integer and (b.to_seq is null or b.to_seq >= $seq::integer)
where n.dataset = $dataset::varchar and is_held(n.from_seq, n.to_seq, $seq::integer)
