-- name: chosen_text
-- version: 1
-- grain: caption
-- params: dataset VARCHAR, seq INTEGER
-- reads: chosen_caption, membership, caption
-- returns: image, slot, text
--
-- The texts of a few captions of a version: a table of ten does not need those of all.
select m.image, m.slot, c.text
from membership as m
semi join chosen_caption as s on s.image = m.image and s.slot = m.slot
join caption as c using (caption_id)
where m.dataset = $dataset::varchar and is_held(m.from_seq, m.to_seq, $seq::integer)
