-- name: duplicate_pair
-- version: 1
-- grain: question, caption
-- params: examples UINTEGER
-- reads: question, side_caption, duplicate, distinct_text, similar_text, caption
-- returns: question_no, match, nth, image, slot, against_image, against_slot, similarity, text, against_text
-- order: r.question_no, r.exact desc, r.nth
--
-- Captions, each with its most similar duplicate. `examples` is the number for each question and kind of match: the
-- longest texts, each once; 0 lists all.
with first_of_text as (
    select
        d.question_no, d.exact, d.image_no, d.slot, d.text_no, d.place, len(w.tokens) as words,
        row_number() over (partition by d.question_no, d.exact, d.text_no order by d.image_no, d.slot) as nth_of_text
    from duplicate as d
    join distinct_text as w on w.text_no = d.text_no
),
ranked as (
    select
        question_no, exact, image_no, slot, text_no, place,
        row_number() over (partition by question_no, exact order by nth_of_text, words desc, image_no, slot) as nth
    from first_of_text
    where $examples::uinteger = 0 or nth_of_text = 1
)
select
    r.question_no,
    case when r.exact then 'exact' else 'near' end as match,
    r.nth, s.image, s.slot, o.image as against_image, o.slot as against_slot,
    case when r.exact then 1.0 else n.shared / n.total end::double as similarity,
    c.text, t.text as against_text
from ranked as r
join question as q on q.question_no = r.question_no
join side_caption as s on s.side_no = q.side_no and s.image_no = r.image_no and s.slot = r.slot
join side_caption as o on o.side_no = q.against_no and o.place = r.place
left join similar_text as n on n.text_no = r.text_no and n.other_no = o.text_no
join caption as c on c.caption_id = s.caption_id
join caption as t on t.caption_id = o.caption_id
where $examples::uinteger = 0 or r.nth <= $examples::uinteger
order by r.question_no, r.exact desc, r.nth
