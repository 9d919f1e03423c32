-- name: copy
-- version: 1
-- grain: caption that occurs at another image
-- params: key VARCHAR
-- reads: reference, caption, caption_tokens, equal_text
-- returns: image_no, slot, as_letters
--
-- The captions with the same tokens as a caption of another image of the version, by its one tokenizer, `key`.
-- `as_letters` is whether one of these is equal letter for letter (NFC, outer whitespace trimmed).
with copied as (
    select r.image_no, r.slot, nfc_normalize(trim(c.text, e' \t\r\n')) as letters
    from reference as r
    join caption_tokens as t on t.caption_id = r.caption_id and t.tokenizer = $key::varchar
    join equal_text as e on e.tokens = t.tokens
    join caption as c on c.caption_id = r.caption_id
    where e.at_images
)
select image_no, slot, min(image_no) over lettered <> max(image_no) over lettered as as_letters
from copied
window lettered as (partition by letters)
