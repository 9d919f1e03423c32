-- name: every_slot_pair
-- version: 1
-- grain: question, pair of slots
-- params: most_slots UINTEGER
-- reads: question, side_caption, similar_text
-- returns: question_no, slot, against_slot, exact, near, of_images
-- order: question_no, slot, against_slot
--
-- The number of images on which two slots have duplicates, of the images with words in both slots. Slots from
-- `most_slots` on are not listed, since the number of pairs grows with the square.
with spoken as (
    select q.question_no, s.image_no, s.slot, s.text_no
    from question as q
    join side_caption as s on s.side_no = q.side_no
    where q.scope = 'within-image' and s.text_no is not null and s.slot < $most_slots::uinteger
),
paired as (
    select a.question_no, a.slot, b.slot as against_slot, a.text_no = b.text_no as exact, n.text_no is not null as near
    from spoken as a
    join spoken as b on b.question_no = a.question_no and b.image_no = a.image_no and b.slot > a.slot
    left join similar_text as n on n.text_no = a.text_no and n.other_no = b.text_no
)
select
    question_no, slot, against_slot,
    count(*) filter (where exact) as exact,
    count(*) filter (where near) as near,
    count(*) as of_images
from paired
group by question_no, slot, against_slot
order by question_no, slot, against_slot
