-- name: duplicate_within
-- version: 3
-- grain: question, caption
-- reads: question, side_caption, similar_text
-- returns: question_no, image_no, slot, text_no, exact, place
--
-- The captions that repeat an earlier one of their image (`repeat`), each with the place of the first, and other
-- captions that are similar to another, each with the place of the nearest.
with text_at_image as materialized (
    select side_no, image_no, text_no, min(place) as place
    from side_caption
    where text_no is not null and side_no in (select side_no from question where scope = 'within-image')
    group by side_no, image_no, text_no
),
nearest as (
    select
        a.side_no, a.image_no, a.text_no,
        min(at_distance((n.total - n.shared)::ubigint * 1000000 // n.total, b.place)) as best
    from similar_text as n
    join text_at_image as a on a.text_no = n.text_no
    join text_at_image as b on b.side_no = a.side_no and b.image_no = a.image_no and b.text_no = n.other_no
    group by a.side_no, a.image_no, a.text_no
)
select
    q.question_no, s.image_no, s.slot, s.text_no,
    f.place is not null as exact,
    coalesce(f.place, place_of(n.best)) as place
from question as q
join side_caption as s on s.side_no = q.side_no
left join side_caption as f on f.side_no = s.side_no and f.image_no = s.image_no and f.slot = s.of_slot
left join nearest as n on n.side_no = s.side_no and n.image_no = s.image_no and n.text_no = s.text_no
where q.scope = 'within-image' and (f.place is not null or n.best is not null)
