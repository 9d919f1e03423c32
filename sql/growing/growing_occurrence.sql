-- name: growing_occurrence
-- version: 1
-- grain: text of an image, position of an n-gram
-- params: first_image UINTEGER
-- reads: image_text, ngram_occurrence
-- returns: image_no, caption_id, n, gram_no, gram, is_once
--
-- The n-grams of a whole draw that a candidate can share, or that a text may have twice, by text. Numbers of n-grams
-- hold in all buckets.
with text as (select min(text_no) as text_no, image_no, caption_id from image_text group by image_no, caption_id),
ours as (
    select distinct gram_no
    from ngram_occurrence
    semi join (select text_no from image_text where candidate_no is not null) as c using (text_no)
)
select t.image_no, t.caption_id, o.n, pack($first_image::ubigint, o.gram_no) as gram_no, o.gram, o.is_once
from ngram_occurrence as o
join text as t using (text_no)
left join ours as c using (gram_no)
where c.gram_no is not null or not o.is_once
