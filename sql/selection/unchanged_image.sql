-- name: unchanged_image
-- version: 1
-- grain: image
-- params: dataset VARCHAR, seq INTEGER, other_seq INTEGER
-- reads: membership
-- returns: image, is_same
-- order: image
--
-- The images of a version, and whether another version of the dataset has the same captions for them, slot by slot.
with placed as (
    select image, slot, caption_id,
        bool_or(is_held(from_seq, to_seq, $seq::integer)) as is_here,
        bool_or(is_held(from_seq, to_seq, $other_seq::integer)) as is_there
    from membership
    where dataset = $dataset::varchar
    group by all
)
select image, bool_and(is_here = is_there) as is_same
from placed
where is_here or is_there
group by image
having bool_or(is_here)
order by image
