-- name: caption_place
-- version: 1
-- grain: caption
-- params: dataset VARCHAR, draw_seed BIGINT
-- reads: every_reference
-- returns: image, slot, split, caption_id, length, place, captions
--
-- The captions of each image in the order in which a seed draws them, and how many there are: the first k are those that
-- a draw of k takes. The order is a pure function of (seed, dataset, image, slot), by md5, and so the same on any machine
-- and any number of threads.
select
    image, slot, split, caption_id, length,
    row_number() over (
        partition by image
        order by md5_number(concat_ws(chr(31), 'reference', $draw_seed::bigint, $dataset::varchar, image, slot)), slot
    )::uinteger as place,
    count(*) over (partition by image)::uinteger as captions
from every_reference
