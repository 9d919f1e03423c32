-- name: length_end_count
-- version: 1
-- grain: length, kind of end
-- reads: reference, caption, text_tokens
-- returns: size, is_open, captions
-- merges: sum captions
--
-- The number of captions of at least two words by their words (`size`), with and without a final punctuation mark.
select len(t.tokens) as size, not regexp_matches(c.text, '[.!?。！？…”"]\s*$') as is_open, count(*) as captions
from reference as r
join caption as c using (caption_id)
join text_tokens as t using (caption_id)
where len(t.tokens) >= 2
group by all
