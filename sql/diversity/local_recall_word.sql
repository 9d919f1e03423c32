-- name: local_recall_word
-- version: 1
-- grain: candidate, content word of its image's references
-- reads: candidate, reference, reference_word_importance, content_word
-- returns: candidate_no, image_no, token_id, importance, recalled
-- cites: van Miltenburg et al. 2018, eq. 5-7
--
-- The words that a candidate could recall. A held-out caption is not among its references, so the other captions
-- determine the importance of its words. A word is recalled if the candidate has it, as a content word or not.
with met as (
    select
        c.candidate_no, c.image_no, w.token_id, s.token_id is not null as recalled,
        w.importance - coalesce(o.is_content, false)::uinteger as importance
    from candidate as c
    join reference_word_importance as w on w.image_no = c.image_no and w.importance > 0
    left join content_word as s on s.caption_id = c.caption_id and s.token_id = w.token_id
    left join reference as h on h.image_no = c.image_no and h.slot = c.held_out
    left join content_word as o on o.caption_id = h.caption_id and o.token_id = w.token_id
)
select candidate_no, image_no, token_id, importance, recalled
from met
where importance > 0
