-- name: web_address
-- version: 1
-- grain: caption
-- reads: reference, caption
-- returns: image, slot, why
-- order: image, slot
--
-- Captions that hold the address of a page, as text seen in a picture or as a trace of the page they were taken from.
with found as (
    select
        r.image, r.slot,
        regexp_extract(
            c.text, '(?i)(https?://|www\.)[^\s<>"]+|\b[a-z0-9-]{2,}\.(com|org|net|edu|gov|info|io|co\.uk|de|fr|cn|jp)\b(/\S*)?'
        ) as page
    from reference as r
    join caption as c using (caption_id)
    where not contains(c.text, '@')
)
select image, slot, 'address of a page ' || page as why
from found
where page <> ''
order by image, slot
