-- name: truncated
-- version: 8
-- grain: caption
-- reads: reference, caption, text_tokens, character_limit, cut_end
-- returns: image, slot, why
-- order: r.image, r.slot
-- merges: rows
--
-- Captions with an end that is probably that of a cut (relation cut_end). Names (“Named An”, “the letter b”) are none.
select r.image, r.slot, e.why
from reference as r
join caption as c using (caption_id)
join text_tokens as t using (caption_id)
cross join character_limit as m
join cut_end as e
    on e.before = t.tokens[-2] and e.word = t.tokens[-1] and e.size = len(t.tokens)
    and e.is_at_limit = coalesce(length(c.text) = m.longest, false)
where len(t.tokens) >= 2 and ends_openly(c.text) and (e.is_at_limit or not regexp_matches(
    c.text, '(?:^|[^.!?:]\s)\p{Lu}\p{Ll}*\s*$|(?i:\b(?:letters?|style|type|group|class|part|figure|option|grade|size|point|seal)\s+\S\s*$)'
))
order by r.image, r.slot
