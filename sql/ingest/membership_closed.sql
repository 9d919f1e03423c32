-- name: membership_closed
-- version: 1
-- grain: caption
-- params: dataset VARCHAR
-- reads: content, caption, membership
-- returns: image, slot
--
-- Rows that were valid until now and are not in the new content.
select m.image, m.slot
from membership as m
join caption as c using (caption_id)
anti join content as n
    on n.image = m.image and n.slot = m.slot and n.text = c.text and n.split is not distinct from m.split
where m.dataset = $dataset::varchar and m.to_seq is null
