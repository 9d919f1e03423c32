-- name: copied_caption
-- version: 2
-- grain: caption
-- params: key VARCHAR
-- reads: reference, caption, caption_tokens, foremost_text
-- returns: image, slot, why, other_image, other_slot
-- order: f.captions desc, r.image, r.slot
-- merges: not, stages count texts in partitions
--
-- Copies of a caption that stands out, each with the first one. That is not listed: it is the one to keep.
select
    r.image, r.slot, format(
        '“{}” {:,} times, {:.1f}%', if(length(c.text) > 80, c.text[:80] || '…', c.text), f.captions,
        100 * f.captions / f.of_captions
    ) as why, f.first_image as other_image, f.first_slot as other_slot
from foremost_text as f
join caption_tokens as t on t.tokens = f.tokens and t.tokenizer = $key::varchar
join reference as r on r.caption_id = t.caption_id
join caption as c on c.caption_id = r.caption_id
where (r.image, r.slot) <> (f.first_image, f.first_slot)
order by f.captions desc, r.image, r.slot
