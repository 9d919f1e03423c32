-- name: common_skeleton
-- version: 1
-- grain: caption
-- params: least_share DOUBLE
-- reads: reference, skeleton, foremost_skeleton, caption_length_count
-- returns: image, slot, why
-- order: r.image, r.slot
-- merges: rows
--
-- Captions that begin with one of the most frequent skeletons, if these make up at least `least_share` of the captions.
-- So a caption can be long, and its objects can differ.
with whole as (select sum(captions)::bigint as captions from caption_length_count)
select r.image, r.slot, format('“{}”, as {} of {} captions', s.skeleton, f.captions, w.captions) as why
from reference as r
join skeleton as s using (caption_id)
join foremost_skeleton as f on f.skeleton = s.skeleton
cross join whole as w
where f.formed >= $least_share::double * w.captions
order by r.image, r.slot
