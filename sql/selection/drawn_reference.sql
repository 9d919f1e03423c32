-- name: drawn_reference
-- version: 3
-- grain: caption
-- params: drawn INTEGER, fewest INTEGER, drawn_images INTEGER, draw_seed BIGINT
-- reads: caption_place
-- returns: image_no, image, slot, split, caption_id, length
-- order: d.image, d.slot
-- cites: Wang & Gaizauskas 2016, section 4.1: descriptions sampled, so that datasets have equally many
--
-- As many captions of each image as asked for; an image that has fewer than the fewest allowed is left out. Of the
-- others so many are drawn as asked for; null stands for all. The order of images is a pure function of (seed, image),
-- by md5, without the dataset: datasets that describe the same images keep the same ones, and stay paired.
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
