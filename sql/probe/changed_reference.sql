-- name: changed_reference
-- version: 1
-- grain: caption
-- reads: reference, made_text
-- returns: image_no, image, slot, split, caption_id, length
-- order: r.image, r.slot
--
-- The captions at work, with a text that a study has made in place of each caption that has one.
select
    r.image_no, r.image, r.slot, r.split,
    coalesce(m.caption_id, r.caption_id) as caption_id,
    coalesce(len(m.tokens)::uinteger, r.length) as length
from reference as r
left join made_text as m on m.image = r.image and m.slot = r.slot
order by r.image, r.slot
