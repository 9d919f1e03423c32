-- name: local_target
-- version: 1
-- grain: candidate, content word of its image's references
-- reads: candidate, described_word, caption_type, content_word
-- returns: candidate_no, image_no, token_id, importance, recalled
-- cites: van Miltenburg et al. 2018, eq. 5-7
--
-- The words that a candidate could recall. A held-out caption is no reference of itself: what it says itself is as
-- important as the other captions make it. A word is recalled by whatever the candidate says, content word there or not.
select c.candidate_no, c.image_no, w.token_id, w.importance - i.own as importance, s.token_id is not null as recalled
from candidate as c
join described_word as w using (image_no)
left join caption_type as s on s.caption_id = c.caption_id and s.token_id = w.token_id
left join content_word as o on o.caption_id = c.caption_id and o.token_id = w.token_id
cross join lateral (select (c.held_out is not null and o.token_id is not null)::uinteger as own) as i
where w.importance > i.own
