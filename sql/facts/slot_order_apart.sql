-- name: slot_order_apart
-- version: 1
-- grain: set of captions
-- reads: reference, caption
-- returns: captions, set_no, by_length
-- order: captions, set_no
--
-- The direction by length as in slot_order, of captions that are not of one image: a caption of each slot, from one
-- image after another, among the images with as many captions. If slots differ in style, such as a person's
-- and a program's, these sets are sorted as often as the captions of an image.
with placed as (
    select
        r.image_no, r.image, length(c.text) as size, count(*) over (partition by r.image_no) as captions,
        row_number() over (partition by r.image_no order by r.slot) as place
    from reference as r
    join caption as c using (caption_id)
),
moved as (
    select
        captions, size, place,
        (row_number() over (partition by captions, place order by hash(image)) + place)
        % count(*) over (partition by captions, place) as set_no
    from placed
    where captions > 1
),
step as (
    select captions, set_no, sign(size - lag(size) over (partition by captions, set_no order by place)) as longer
    from moved
)
select
    captions::uinteger as captions, set_no::uinteger as set_no,
    case when bool_or(longer = 0) then null when min(longer) = max(longer) then min(longer) else 0 end as by_length
from step
group by captions, set_no
order by captions, set_no
