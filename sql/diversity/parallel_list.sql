-- name: parallel_list
-- version: 1
-- grain: list
-- reads: reference
-- returns: list_no, captions, no_longer, no_shorter
-- order: list_no
-- merges: sum captions, no_longer, no_shorter
--
-- How many images have a caption in each parallel list, and how many of those captions are not longer or not shorter
-- than the one before them. If nearly all are, slots are sorted by length and a list is not the work of one annotator.
with ranked as (
    select
        row_number() over (partition by image_no order by slot) as list_no,
        length,
        lag(length) over (partition by image_no order by slot) as before
    from reference
)
select
    list_no,
    count(*) as captions,
    count(*) filter (where length <= before) as no_longer,
    count(*) filter (where length >= before) as no_shorter
from ranked
group by list_no
order by list_no
