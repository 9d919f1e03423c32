-- name: searched_text
-- version: 3
-- grain: caption
-- params: selection_no UINTEGER, key VARCHAR
-- reads: reference, caption_tokens, repeat
-- returns: selection_no, image_no, image, split, slot, caption_id, tokens, of_slot
--
-- The captions of one selection, by tokens. `of_slot` is that of the caption of the image that a caption repeats.
select $selection_no::uinteger as selection_no, r.image_no, r.image, r.split, r.slot, r.caption_id, t.tokens, e.of_slot
from reference as r
join caption_tokens as t on t.caption_id = r.caption_id and t.tokenizer = $key::varchar
left join repeat as e on e.image_no = r.image_no and e.slot = r.slot
