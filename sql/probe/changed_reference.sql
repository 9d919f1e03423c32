-- name: changed_reference
-- version: 1
-- grain: caption
-- reads: reference, made_text
-- returns: image_no, image, slot, split, caption_id, length
-- order: r.image, r.slot
--
-- The selected captions, with a new text for each caption that a study has changed.
select
    r.image_no, r.image, r.slot, r.split,
    coalesce(m.caption_id, r.caption_id) as caption_id,
    coalesce(len(m.tokens)::uinteger, r.length) as length
from reference as r
left join made_text as m on m.image = r.image and m.slot = r.slot
order by r.image, r.slot
