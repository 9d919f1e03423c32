-- name: drawn_candidate
-- version: 1
-- grain: held-out caption
-- reads: candidate, made_text, caption
-- returns: candidate, image, slot, from_dataset, from_image, from_slot, text
-- order: c.candidate, c.image, c.slot
--
-- The text of the substitute of each caption.
select c.candidate, c.image, c.slot, c.from_dataset, c.from_image, c.from_slot, coalesce(m.text, t.text) as text
from candidate as c
left join made_text as m on m.caption_id = c.caption_id
left join caption as t on t.caption_id = c.caption_id
where c.is_substitute
order by c.candidate, c.image, c.slot
