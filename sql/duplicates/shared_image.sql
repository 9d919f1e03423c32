-- name: shared_image
-- version: 1
-- grain: question
-- reads: question, side_caption
-- returns: question_no, images, of_images
-- order: q.question_no
--
-- The number of images of a side that are also in the side it is compared with, by id.
with described as (select distinct side_no, image from side_caption)
select q.question_no, count(t.image) as images, count(*) as of_images
from question as q
join described as o on o.side_no = q.side_no
left join described as t on t.side_no = q.against_no and t.image = o.image
where q.scope not in ('within-image', 'across-images')
group by q.question_no
order by q.question_no
