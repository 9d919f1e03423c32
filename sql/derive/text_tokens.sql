-- name: text_tokens
-- version: 1
-- grain: caption text
-- params: profile VARCHAR
-- reads: text_at_work, caption_tokens
-- returns: caption_id, tokens
--
-- The tokens of the texts at work, taken out of the store once: a bucket of images then reads these alone. Where a
-- metric rewrites tokens (ROUGE's own words, stems), its words stand in their place.
select t.caption_id, t.tokens
from caption_tokens as t
semi join text_at_work as w on w.caption_id = t.caption_id
where t.profile = $profile::varchar
