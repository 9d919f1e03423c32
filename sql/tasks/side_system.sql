-- name: side_system
-- version: 2
-- grain: image
-- params: system VARCHAR, seed BIGINT, side_no UINTEGER, author VARCHAR
-- reads: content, answer
-- returns: side_no, author, origin, image, held_out, text
--
-- The captions of the images in another dataset (relation answer); of several, one by md5 of (seed, image, slot).
with ranked as (
    select
        image, text,
        row_number() over (
            partition by image
            order by md5_number(concat_ws(chr(31), 'answer', $seed::bigint, image, slot)), slot
        ) as place
    from answer
)
select
    $side_no::uinteger as side_no, $author::varchar as author, $system::varchar as origin,
    image, null::uinteger as held_out, text
from ranked
semi join content using (image)
where place = 1
