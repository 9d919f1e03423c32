-- name: searched_text
-- version: 1
-- grain: caption
-- params: selection_no UINTEGER, profile VARCHAR
-- reads: reference, caption_tokens
-- returns: selection_no, image_no, image, split, slot, caption_id, tokens
--
-- The captions of one selection, to be put beside those of others: what two captions are compared by is their tokens.
select $selection_no::uinteger as selection_no, r.image_no, r.image, r.split, r.slot, r.caption_id, t.tokens
from reference as r
join caption_tokens as t on t.caption_id = r.caption_id and t.profile = $profile::varchar
