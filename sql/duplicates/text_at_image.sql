-- name: text_at_image
-- version: 1
-- grain: side, image, text
-- reads: side_caption, question
-- returns: side_no, image_no, text_no, place, next_place
--
-- Where each text of an image occurs first, and where it occurs again, in the sides that are searched within images.
with asked as (select side_no from question where scope = 'within-image'),
first_place as (
    select s.side_no, s.image_no, s.text_no, min(s.place) as place
    from side_caption as s
    semi join asked as a on a.side_no = s.side_no
    where s.text_no is not null
    group by s.side_no, s.image_no, s.text_no
)
select
    f.side_no, f.image_no, f.text_no, f.place,
    min(s.place) filter (where s.place > f.place) as next_place
from first_place as f
join side_caption as s on s.side_no = f.side_no and s.image_no = f.image_no and s.text_no = f.text_no
group by f.side_no, f.image_no, f.text_no, f.place
