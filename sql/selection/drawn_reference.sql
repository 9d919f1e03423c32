-- name: drawn_reference
-- version: 3
-- grain: caption
-- params: drawn INTEGER, fewest INTEGER, drawn_images INTEGER, draw_seed BIGINT
-- reads: caption_place
-- returns: image_no, image, slot, split, caption_id, length
-- order: d.image, d.slot
-- cites: Wang & Gaizauskas 2016, section 4.1: descriptions sampled, so that datasets have equally many
--
-- The requested number of captions of each image; images with fewer than $fewest captions are left out. Of the others,
-- $drawn_images are drawn, all if null. The order of images is a pure function of (seed, image), by md5, without the
-- dataset: datasets that describe the same images keep the same ones, and stay paired.
with described as (
    select image, slot, split, caption_id, length
    from caption_place
    where place <= $drawn::integer and captions >= $fewest::integer
),
image_turn as (
    select
        image,
        row_number() over (
            order by md5_number(concat_ws(chr(31), 'image', $draw_seed::bigint, image)), image
        ) as turn
    from described
    where $drawn_images::integer is not null
    group by image
)
select dense_rank() over (order by d.image)::uinteger as image_no, d.image, d.slot, d.split, d.caption_id, d.length
from described as d
left join image_turn as t on t.image = d.image
where $drawn_images::integer is null or t.turn <= $drawn_images::integer
order by d.image, d.slot
