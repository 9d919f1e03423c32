-- name: local_precision_word
-- version: 1
-- grain: candidate, word of it
-- reads: candidate, reference, reference_word_importance, content_word
-- returns: candidate_no, image_no, token_id, is_content, supported
-- cites: van Miltenburg et al. 2018, section 5.1: local precision
--
-- The words of a candidate, and whether a reference of its image also has them. A held-out caption is not among its
-- references; a candidate without references has no words here.
with described as (select image_no, count(*) as captions from reference group by image_no)
select
    c.candidate_no, c.image_no, s.token_id, s.is_content,
    coalesce(w.descriptions, 0) > (c.held_out is not null)::integer as supported
from candidate as c
join described as d on d.image_no = c.image_no and d.captions > (c.held_out is not null)::integer
join content_word as s on s.caption_id = c.caption_id
left join reference_word_importance as w on w.image_no = c.image_no and w.token_id = s.token_id
