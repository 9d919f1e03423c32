-- name: described_word
-- version: 1
-- grain: image, word of its references
-- reads: reference, caption_type, content_word
-- returns: image_no, token_id, descriptions, importance
-- cites: van Miltenburg et al. 2018, eq. 5 and 7
--
-- How many descriptions of an image hold a word (descriptions), and how many hold it as a content word (importance).
-- Two descriptions that are equal count twice.
select
    r.image_no, t.token_id, count(*)::uinteger as descriptions, count(c.token_id)::uinteger as importance
from reference as r
join caption_type as t using (caption_id)
left join content_word as c on c.caption_id = t.caption_id and c.token_id = t.token_id
group by r.image_no, t.token_id
