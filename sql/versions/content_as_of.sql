-- name: content_as_of
-- version: 2
-- grain: caption
-- params: dataset VARCHAR, seq INTEGER, split VARCHAR
-- reads: membership, caption, vote_text
-- returns: image, slot, split, text, votes
--
-- The captions of a version. A null split means all splits. `votes` are its human ratings, null for most datasets.
select m.image, m.slot, m.split, c.text, v.votes
from membership as m
join caption as c using (caption_id)
left join vote_text as v on v.image = m.image and v.slot = m.slot
where m.dataset = $dataset::varchar and is_held(m.from_seq, m.to_seq, $seq::integer)
    and ($split::varchar is null or m.split = $split::varchar)
