-- name: slot_caption
-- version: 1
-- grain: caption
-- reads: reference, text_tokens, opening_count
-- returns: image, slot, length, common
-- order: r.image, r.slot
--
-- Each caption with its length in tokens, and whether (1 or 0) it begins with one of the ten most frequent openings of
-- three tokens; ties for the tenth rank are all included.
with foremost as (select opening from opening_count where n = 3 qualify rank() over (order by captions desc) <= 10)
select r.image, r.slot, r.length::bigint as length, (f.opening is not null)::bigint as common
from reference as r
join text_tokens as t using (caption_id)
left join foremost as f on f.opening = t.tokens[:3]
order by r.image, r.slot
