-- name: duplicate_within
-- version: 1
-- grain: question, caption
-- reads: question, side_caption, text_at_image, similar_text
-- returns: question_no, image_no, slot, text_no, exact, place
--
-- The captions that another caption of their image repeats, each with the place that is most like it: the first one with
-- the same text, else with the nearest.
with nearest as (
    select
        a.side_no, a.image_no, a.text_no,
        min(at_distance((n.total - n.shared)::ubigint * 1000000 // n.total, b.place)) as best
    from similar_text as n
    join text_at_image as a on a.text_no = n.text_no
    join text_at_image as b on b.side_no = a.side_no and b.image_no = a.image_no and b.text_no = n.other_no
    group by a.side_no, a.image_no, a.text_no
),
asked as (
    select
        q.question_no, s.image_no, s.slot, s.text_no,
        w.next_place is not null as exact,
        case
            when w.next_place is null then place_of(n.best)
            when s.place = w.place then w.next_place
            else w.place
        end as place
    from question as q
    join side_caption as s on s.side_no = q.side_no
    join text_at_image as w on w.side_no = s.side_no and w.image_no = s.image_no and w.text_no = s.text_no
    left join nearest as n on n.side_no = s.side_no and n.image_no = s.image_no and n.text_no = s.text_no
    where q.scope = 'within-image'
)
select question_no, image_no, slot, text_no, exact, place
from asked
where place is not null
