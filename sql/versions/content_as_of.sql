-- name: content_as_of
-- version: 1
-- grain: caption
-- params: dataset VARCHAR, seq INTEGER, split VARCHAR
-- reads: membership, caption
-- returns: image, slot, split, text
--
-- What a version holds. A null split stands for all of them.
select m.image, m.slot, m.split, c.text
from membership as m
join caption as c using (caption_id)
where m.dataset = $dataset::varchar
    and m.from_seq <= $seq::integer
    and (m.to_seq is null or m.to_seq > $seq::integer)
    and ($split::varchar is null or m.split = $split::varchar)
