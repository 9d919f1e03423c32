-- name: identical
-- version: 2
-- grain: pair of captions of one image
-- params: as_text BOOLEAN
-- reads: repeat, reference, caption
-- returns: split, image, slot_a, slot_b, all_identical, text_a, text_b
-- order: a.image, a.slot, b.slot
-- cites: Wang & Gaizauskas 2016, section 4.1
--
-- The pairs of equal captions of one image: n captions are n (n - 1) / 2 pairs. With `as_text`, captions must be equal
-- letter for letter. `all_identical`: each caption of the image equals the first.
with repeated as (
    select image_no, slot, captions, if($as_text::boolean, letters_of_slot, of_slot) as of_slot
    from repeat
),
member as (
    select image_no, of_slot, slot, captions from repeated where of_slot is not null
    union
    select image_no, of_slot, of_slot, captions from repeated where of_slot is not null
),
placed as (
    select
        r.image, r.split, r.slot, m.of_slot, c.text,
        count(*) over (partition by m.image_no, m.of_slot) = m.captions as all_identical
    from member as m
    join reference as r on r.image_no = m.image_no and r.slot = m.slot
    join caption as c using (caption_id)
)
select a.split, a.image, a.slot as slot_a, b.slot as slot_b, a.all_identical, a.text as text_a, b.text as text_b
from placed as a
join placed as b on b.image = a.image and b.of_slot = a.of_slot and b.slot > a.slot
order by a.image, a.slot, b.slot
