-- name: reference_word_importance
-- version: 1
-- grain: image, word of its references
-- params: first_image UINTEGER, last_image UINTEGER
-- reads: reference, content_word
-- returns: image_no, token_id, descriptions, importance
-- cites: van Miltenburg et al. 2018, eq. 5 and 7
--
-- How many captions of an image have a word (descriptions), or as a content word (importance). Equal ones count twice.
select
    r.image_no, s.token_id, count(*)::uinteger as descriptions,
    (count(*) filter (where s.is_content))::uinteger as importance
from reference as r
join content_word as s using (caption_id)
where r.image_no between $first_image::uinteger and $last_image::uinteger
group by r.image_no, s.token_id
