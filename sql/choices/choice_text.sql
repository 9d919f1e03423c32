-- name: choice_text
-- version: 1
-- grain: forced-choice item
-- reads: choice_item, caption
-- returns: item_no, item, image, right_text, wrong_text
-- order: i.item_no
--
-- The two captions of each item, as the source has them.
select i.item_no, i.item, i.image, r.text as right_text, w.text as wrong_text
from choice_item as i
join caption as r on r.caption_id = i.right_id
join caption as w on w.caption_id = i.wrong_id
order by i.item_no
