-- name: personal_data
-- version: 1
-- grain: caption
-- reads: reference, caption
-- returns: image, slot, why
-- order: image, slot
--
-- Captions that hold an e-mail address or a phone number: seven digits or more in the groupings that phones are written
-- in, or behind a plus. A time, a date or a plain number is none.
with found as (
    select
        r.image, r.slot,
        regexp_extract(c.text, '[\w.+-]+@[\w-]+(\.[\w-]+)*\.\p{L}{2,}') as mail,
        regexp_extract(
            c.text,
            '\+\d[\d ()./-]{6,}\d|\(\d{2,5}\) ?\d{3,4}[ .-]?\d{2,4}|\b\d{3}[ .-]\d{3}[ .-]\d{4}\b|\b\d{3}-\d{4}\b|\b0\d{2,4}[ /-]\d{5,}\b'
        ) as phone
    from reference as r
    join caption as c using (caption_id)
)
select
    image, slot,
    case
        when mail <> '' then 'e-mail address ' || mail
        else 'phone number ' || phone
    end as why
from found
where mail <> '' or phone <> ''
order by image, slot
