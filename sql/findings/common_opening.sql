-- name: common_opening
-- version: 1
-- grain: caption
-- params: least_share DOUBLE
-- reads: reference, text_tokens, foremost_opening, caption_length_count
-- returns: image, slot, why
-- order: r.image, r.slot
-- merges: rows
--
-- Captions that begin with one of the most frequent openings, if these make up at least `least_share` of the captions.
with whole as (select sum(captions)::bigint as captions from caption_length_count)
select r.image, r.slot, format('begins with “{}”, as {} of {} captions do', f.words, f.captions, w.captions) as why
from reference as r
join text_tokens as t using (caption_id)
join foremost_opening as f on f.opening = t.tokens[:3]
cross join whole as w
where f.begun >= $least_share::double * w.captions
order by r.image, r.slot
