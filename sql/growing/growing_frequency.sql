-- name: growing_frequency
-- version: 1
-- grain: n-gram, number of drawn captions
-- params: first_image UINTEGER, last_image UINTEGER
-- reads: reference, caption_place, text_tokens
-- returns: gram, place, images
--
-- In how many images of a bucket each n-gram first occurs in the caption at a place of the draw. Packed as in caption_gram.
with position as materialized (
    select
        r.image_no, p.place,
        unnest(t.tokens)::uhugeint as a, unnest(t.tokens[2:]) as b, unnest(t.tokens[3:]) as c, unnest(t.tokens[4:]) as d
    from reference as r
    join caption_place as p on p.image = r.image and p.slot = r.slot
    join text_tokens as t on t.caption_id = r.caption_id
    where r.image_no between $first_image::uinteger and $last_image::uinteger
),
placed as (
    select image_no, place, a as gram from position where a is not null
    union all
    select image_no, place, pack(a, b) from position where b is not null
    union all
    select image_no, place, pack(a, b, c) from position where c is not null
    union all
    select image_no, place, pack(a, b, c, d) from position where d is not null
),
first as (select gram, min(place) as place from placed group by gram, image_no)
select gram, place, count(*)::uinteger as images from first group by gram, place
