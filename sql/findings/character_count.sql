-- name: character_count
-- version: 1
-- grain: length in characters, kind of end
-- reads: reference, caption, text_tokens
-- returns: characters, is_open, captions, words
-- merges: sum captions, words
--
-- The number of captions of at least two words, and of their words, by length in characters and by how they end: open
-- ones have no punctuation mark or sign at their end.
select
    length(c.text) as characters, ends_openly(c.text) as is_open, count(*) as captions,
    sum(len(t.tokens))::bigint as words
from reference as r
join caption as c using (caption_id)
join text_tokens as t using (caption_id)
where len(t.tokens) >= 2
group by all
