-- name: duplicate_elsewhere
-- version: 1
-- grain: question, caption
-- reads: question, side_caption, nearest_occurrence
-- returns: question_no, image_no, slot, text_no, exact, place
--
-- The captions of a side that occur in the side it is compared with, each with the most similar occurrence. If a side
-- is compared with itself (`apart`), the occurrence is at another image.
with asked as (
    select
        q.question_no, s.image_no, s.slot, s.text_no,
        case when q.apart and r.image_no = s.image_no then r.other_best else r.best end as best
    from question as q
    join side_caption as s on s.side_no = q.side_no
    join nearest_occurrence as r on r.side_no = q.against_no and r.text_no = s.text_no
    where q.scope <> 'within-image'
)
select question_no, image_no, slot, text_no, distance_of(best) = 0 as exact, place_of(best) as place
from asked
where best is not null
