-- name: text_at_image
-- version: 2
-- grain: side, image, text
-- reads: side_caption, question
-- returns: side_no, image_no, text_no, place
--
-- Where each text of an image occurs first, in the sides that are searched within images.
with asked as (select side_no from question where scope = 'within-image')
select s.side_no, s.image_no, s.text_no, min(s.place) as place
from side_caption as s
semi join asked as a on a.side_no = s.side_no
where s.text_no is not null
group by s.side_no, s.image_no, s.text_no
