-- name: membership_opened
-- version: 1
-- grain: caption
-- params: dataset VARCHAR, seq INTEGER
-- reads: content, caption, membership
-- returns: dataset, image, slot, caption_id, split, from_seq
-- order: n.image, n.slot
--
-- Rows that are valid from version $seq on and were not before.
select $dataset::varchar as dataset, n.image, n.slot, c.caption_id, n.split, $seq::integer as from_seq
from content as n
join caption as c using (text)
anti join membership as m
    on m.dataset = $dataset::varchar and m.to_seq is null and m.image = n.image and m.slot = n.slot
    and m.caption_id = c.caption_id and m.split is not distinct from n.split
order by n.image, n.slot
