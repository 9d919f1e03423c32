-- name: caption_place
-- version: 1
-- grain: caption
-- params: dataset VARCHAR, draw_seed BIGINT, mirrored INTEGER
-- reads: every_reference
-- returns: image, slot, split, caption_id, length, place, captions
--
-- The captions of each image in the order in which a seed draws them, and how many there are: the first k are those that
-- a draw of k takes. So many of them as `mirrored` says are in the order from the last to the first. The order is a
-- pure function of (seed, dataset, image, slot), by md5, and so the same on any machine and any number of threads.
with ordered as (
    select
        image, slot, split, caption_id, length,
        row_number() over (
            partition by image
            order by md5_number(concat_ws(chr(31), 'reference', $draw_seed::bigint, $dataset::varchar, image, slot)), slot
        ) as place,
        count(*) over (partition by image)::uinteger as captions
    from every_reference
)
select
    image, slot, split, caption_id, length,
    case when place <= $mirrored::integer then $mirrored::integer + 1 - place else place end::uinteger as place,
    captions
from ordered
