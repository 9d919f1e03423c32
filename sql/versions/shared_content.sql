-- name: shared_content
-- version: 1
-- grain: pair of contents
-- reads: content_of_side
-- returns: images, texts
--
-- How many images, and how many different texts, are in both contents.
select
    count(distinct a.image) filter (where a.image in (select image from content_of_side where side = 'b')) as images,
    count(distinct a.text) filter (where a.text in (select text from content_of_side where side = 'b')) as texts
from content_of_side as a
where a.side = 'a'
