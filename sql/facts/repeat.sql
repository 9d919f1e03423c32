-- name: repeat
-- version: 1
-- grain: caption that repeats an earlier one of its image
-- params: key VARCHAR
-- reads: reference, caption, caption_tokens
-- returns: image_no, image, slot, split, of_slot, letters_of_slot, captions, distinct_captions
-- order: l.image_no, l.slot
-- merges: rows
--
-- The captions with the same tokens as an earlier caption (lower slot) of their image, by the one tokenizer of the
-- version, `key`. `of_slot` is the first of these; `letters_of_slot` is the first that is equal letter for letter (NFC,
-- outer whitespace trimmed), or null. Captions without a word are not listed. `captions` counts those of the image,
-- `distinct_captions` those that are not listed here. Only images with captions of equal hashes are compared.
with suspected as (
    select distinct r.image_no
    from reference as r
    join caption_tokens as t on t.caption_id = r.caption_id and t.tokenizer = $key::varchar
    where len(t.tokens) > 0
    group by r.image_no, hash(t.tokens)
    having count(*) > 1
),
equal as (
    select
        r.image_no, r.image, r.slot, r.split, r.caption_id,
        min(r.slot) over (partition by r.image_no, t.tokens) as of_slot
    from reference as r
    semi join suspected as s on s.image_no = r.image_no
    join caption_tokens as t on t.caption_id = r.caption_id and t.tokenizer = $key::varchar
    where len(t.tokens) > 0
    qualify count(*) over (partition by r.image_no, t.tokens) > 1
),
lettered as (
    select
        e.image_no, e.image, e.slot, e.split, e.of_slot,
        min(e.slot) over (
            partition by e.image_no, e.of_slot, nfc_normalize(trim(c.text, e' \t\r\n'))
        ) as letters_of_slot
    from equal as e
    join caption as c using (caption_id)
),
described as (select image_no, count(*) as captions from reference group by image_no)
select
    l.image_no, l.image, l.slot, l.split, l.of_slot, nullif(l.letters_of_slot, l.slot) as letters_of_slot,
    d.captions::uinteger as captions,
    (d.captions - count(*) over (partition by l.image_no))::uinteger as distinct_captions
from lettered as l
join described as d using (image_no)
where l.slot <> l.of_slot
order by l.image_no, l.slot
