-- name: file_name
-- version: 1
-- grain: caption
-- reads: reference, caption
-- returns: image, slot, why
-- order: image, slot
--
-- Captions that hold the name of a file, by its ending or as cameras number their pictures.
with found as (
    select
        r.image, r.slot,
        regexp_extract(
            c.text,
            '(?i)[\w()-]+\.(jpe?g|png|gif|bmp|tiff?|webp|heic|svg|mp4|avi|mov|mkv|wav|mp3|flac|ogg|txt|json|csv|pdf|docx?)\b'
            || '|\b(img|dsc|dscn|dscf|pict|gopr|vid|screenshot)[_ -]?\d{3,}\w*'
        ) as name
    from reference as r
    join caption as c using (caption_id)
)
select image, slot, 'file name ' || name as why
from found
where name <> ''
order by image, slot
