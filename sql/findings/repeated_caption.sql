-- name: repeated_caption
-- version: 1
-- grain: caption
-- reads: reference, caption, text_tokens
-- returns: image, slot, of_slot, captions, distinct_captions
-- order: c.image, c.slot
--
-- Captions that say what an earlier one of their image says, by their tokens, or by their letters where they have none.
-- `of_slot` is the first that says it; `captions` and `distinct_captions` are those of the image.
with told as (
    select
        r.image, r.slot,
        if(len(t.tokens) > 0, concat_ws(' ', t.tokens), 'text ' || c.text) as said
    from reference as r
    join caption as c using (caption_id)
    join text_tokens as t using (caption_id)
),
counted as (
    select
        image, slot,
        min(slot) over (partition by image, said) as of_slot,
        count(*) over (partition by image) as captions,
        said
    from told
),
different as (select image, count(distinct said) as distinct_captions from told group by image)
select c.image, c.slot, c.of_slot, c.captions::uinteger as captions, d.distinct_captions::uinteger as distinct_captions
from counted as c
join different as d using (image)
where c.slot <> c.of_slot
order by c.image, c.slot
