-- name: caption_place
-- version: 3
-- grain: caption
-- params: draw_seed BIGINT, mirrored INTEGER, fewest INTEGER, drawn_images INTEGER
-- reads: every_reference
-- returns: image, slot, split, caption_id, length, place, captions
--
-- The captions of each image in the order that a seed draws, and their number: a draw of k takes the first k. The first
-- `mirrored` captions are in reverse order. The order is a pure function of (seed, image, slot), by md5, so it
-- is the same on any machine with any number of threads. $drawn_images images with at least $fewest captions are drawn;
-- null keeps all images. Their order is a pure function of (seed, image), without the dataset: datasets that describe
-- the same images keep the same ones, and stay paired.
with image_turn as (
    select
        image,
        row_number() over (order by md5_number(concat_ws(chr(31), 'image', $draw_seed::bigint, image)), image) as turn
    from every_reference
    where $drawn_images::integer is not null
    group by image
    having count(*) >= $fewest::integer
),
ordered as (
    select
        image, slot, split, caption_id, length,
        row_number() over (
            partition by image
            order by md5_number(concat_ws(chr(31), 'reference', $draw_seed::bigint, image, slot)), slot
        ) as place,
        count(*) over (partition by image)::uinteger as captions
    from every_reference
    where $drawn_images::integer is null or image in (select image from image_turn where turn <= $drawn_images::integer)
)
select
    image, slot, split, caption_id, length,
    case when place <= $mirrored::integer then $mirrored::integer + 1 - place else place end::uinteger as place,
    captions
from ordered
