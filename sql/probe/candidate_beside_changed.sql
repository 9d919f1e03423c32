-- name: candidate_beside_changed
-- version: 1
-- grain: held-out caption
-- params: label VARCHAR
-- reads: reference, made_text
-- returns: candidate, is_substitute, image_no, image, slot, held_out, caption_id, length, from_dataset, from_image, from_slot
-- cites: Wang & Gaizauskas 2016, section 4.1, CIDEr
--
-- Each caption unchanged, if a caption of its image is changed as a reference. The changed caption is a candidate too,
-- so that document frequencies by candidates (idf=fold) stay those of the unchanged captions. Its original text is not
-- a reference any more, so it is a substitute.
select
    $label::varchar as candidate, m.caption_id is not null as is_substitute, r.image_no, r.image, r.slot, r.slot as held_out,
    r.caption_id, r.length, null::varchar as from_dataset, null::varchar as from_image, null::uinteger as from_slot
from reference as r
left join made_text as m on m.candidate = $label::varchar and m.image = r.image and m.slot = r.slot
