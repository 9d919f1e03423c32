-- name: open_end
-- version: 1
-- grain: last two words, size
-- reads: reference, caption, text_tokens, character_limit
-- returns: before, word, size, is_at_limit, captions
-- merges: sum captions
--
-- The number of captions of `size` words that end openly with two words; those at a limit of characters apart.
select
    t.tokens[-2] as before, t.tokens[-1] as word, len(t.tokens) as size,
    coalesce(length(c.text) = m.longest, false) as is_at_limit, count(*) as captions
from reference as r
join caption as c using (caption_id)
join text_tokens as t using (caption_id)
cross join character_limit as m
where len(t.tokens) >= 2 and ends_openly(c.text)
group by all
