-- name: first_occurrence
-- version: 1
-- grain: side, text, image
-- reads: side_caption
-- returns: side_no, text_no, image_no, place
--
-- The first occurrence of each text in a side, and the first at another image. Two rows are enough, even for a text of
-- ten thousand captions: for any image, one of the two is at another image, if there is any.
with first_place as (
    select side_no, text_no, min(place) as place, min(image_no) as image_no
    from side_caption
    where text_no is not null
    group by side_no, text_no
),
next_place as (
    select f.side_no, f.text_no, min(s.place) as place, min(s.image_no) as image_no
    from first_place as f
    join side_caption as s on s.side_no = f.side_no and s.text_no = f.text_no and s.image_no <> f.image_no
    group by f.side_no, f.text_no
)
select side_no, text_no, image_no, place from first_place
union all
select side_no, text_no, image_no, place from next_place
