-- name: drawn_reference
-- version: 1
-- grain: caption
-- params: dataset VARCHAR, drawn INTEGER, draw_seed BIGINT
-- reads: every_reference
-- returns: image_no, image, slot, split, caption_id, length
-- cites: Wang & Gaizauskas 2016, section 4.1: descriptions sampled, so that datasets have equally many
--
-- As many captions of each image as asked for; an image that has fewer is left out. The draw is a pure function of
-- (seed, dataset, image, slot), by md5, and so the same on any machine and any number of threads.
with ranked as (
    select
        image, slot, split, caption_id, length,
        row_number() over (
            partition by image
            order by md5_number(concat_ws(chr(31), 'reference', $draw_seed::bigint, $dataset::varchar, image, slot)), slot
        ) as place,
        count(*) over (partition by image) as captions
    from every_reference
)
select dense_rank() over (order by image)::uinteger as image_no, image, slot, split, caption_id, length
from ranked
where place <= $drawn::integer and captions >= $drawn::integer
order by image, slot
