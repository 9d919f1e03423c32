-- name: side_intra
-- version: 2
-- grain: image
-- params: seed BIGINT, side_no UINTEGER
-- reads: content
-- returns: side_no, author, origin, image, held_out, text
-- cites: Vedantam et al. 2015, section 6: a human caption of another image (the second of an HI pair)
--
-- For each image a caption of another image, sampled by md5 of (seed, image) as in candidate_intra: from all
-- captions in order of image and slot, except those of the image itself.
with placed as (select row_number() over (order by image, slot) - 1 as place, image, slot, text from content),
of_image as (select image, min(place) as first_place, count(*) as own_captions from placed group by image),
total as (select count(*) as captions from content),
drawn as (
    select
        o.image, o.first_place, o.own_captions,
        remainder_of(
            md5_number(concat_ws(chr(31), 'stranger', $seed::bigint, $side_no::uinteger, o.image)),
            t.captions - o.own_captions
        )::bigint as draw
    from of_image as o
    cross join total as t
    where t.captions > o.own_captions
)
select
    $side_no::uinteger as side_no, 'another' as author, 'human, another image' as origin,
    d.image, null::uinteger as held_out, other.text
from drawn as d
join placed as other on other.place = d.draw + case when d.draw >= d.first_place then d.own_captions else 0 end
