-- name: choice_text
-- version: 3
-- grain: forced-choice item
-- reads: choice_item, choice_caption, caption
-- returns: item_no, item, image, question, right_text, right2_text, wrong_text
-- order: i.item_no
--
-- The texts of each item, as in the source; question and second right caption may be null. Slashes join wrong options.
with wrong as (
    select c.item_no, string_agg(t.text, ' / ' order by c.slot) as text
    from choice_caption as c
    join caption as t using (caption_id)
    where starts_with(c.side, 'wrong')
    group by c.item_no
)
select i.item_no, i.item, i.image, q.text as question, r.text as right_text, s.text as right2_text, w.text as wrong_text
from choice_item as i
join caption as r on r.caption_id = i.right_id
join wrong as w using (item_no)
left join caption as s on s.caption_id = i.right2_id
left join caption as q on q.caption_id = i.asked_id
order by i.item_no
