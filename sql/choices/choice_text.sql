-- name: choice_text
-- version: 2
-- grain: forced-choice item
-- reads: choice_item, caption
-- returns: item_no, item, image, right_text, right2_text, wrong_text
-- order: i.item_no
--
-- The captions of each item, as in the source; the second right caption is null for items that have only one.
select i.item_no, i.item, i.image, r.text as right_text, s.text as right2_text, w.text as wrong_text
from choice_item as i
join caption as r on r.caption_id = i.right_id
join caption as w on w.caption_id = i.wrong_id
left join caption as s on s.caption_id = i.right2_id
order by i.item_no
