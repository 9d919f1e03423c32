-- name: candidate_intra
-- version: 3
-- grain: held-out caption
-- params: dataset VARCHAR, seed BIGINT
-- reads: reference
-- returns: candidate, is_substitute, image_no, image, slot, held_out, caption_id, length, from_dataset, from_image, from_slot
-- cites: Wang & Gaizauskas 2016, section 5, Random Intra-Dataset
--
-- Lower bound: instead of each caption, one of another image of the same dataset. The draw is a pure function of (seed,
-- image, slot), by md5, so it is the same on any machine with any number of threads.
with placed as (
    select row_number() over (order by image, slot) - 1 as place, image_no, image, slot, caption_id, length
    from reference
),
numbered as (
    select
        place, image_no, image, slot, caption_id, length,
        min(place) over (partition by image_no) as image_start,
        count(*) over (partition by image_no) as image_captions,
        count(*) over () as captions
    from placed
),
drawn as (
    select
        image_no, image, slot, image_start, image_captions,
        remainder_of(
            md5_number(concat_ws(chr(31), $seed::bigint, image, slot)), captions - image_captions
        )::bigint as draw
    from numbered
    where captions > image_captions
)
select
    'intra' as candidate, true as is_substitute, d.image_no, d.image, d.slot, d.slot as held_out, other.caption_id, other.length,
    $dataset::varchar as from_dataset, other.image as from_image, other.slot as from_slot
from drawn as d
join numbered as other on other.place = d.draw + case when d.draw >= d.image_start then d.image_captions else 0 end
