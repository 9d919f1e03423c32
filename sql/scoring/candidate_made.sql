-- name: candidate_made
-- version: 1
-- grain: held-out caption
-- params: label VARCHAR
-- reads: reference, made_text
-- returns: candidate, is_substitute, image_no, image, slot, held_out, caption_id, length, from_dataset, from_image, from_slot
--
-- Texts that a study has made, each in place of a caption.
select
    m.candidate, true as is_substitute, r.image_no, r.image, r.slot, r.slot as held_out, m.caption_id,
    len(m.tokens)::uinteger as length,
    null::varchar as from_dataset, null::varchar as from_image, null::uinteger as from_slot
from made_text as m
join reference as r on r.image = m.image and r.slot = m.slot
where m.candidate = $label::varchar
