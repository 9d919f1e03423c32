-- name: text_tokens
-- version: 2
-- grain: caption text
-- params: tokenizer VARCHAR
-- reads: text_at_work, caption_tokens, made_text
-- returns: caption_id, tokens
--
-- The tokens of the texts at work, taken out of the store once: a bucket of images then reads these alone. Where a
-- metric rewrites tokens (ROUGE's own words, stems), its words stand in their place. Texts that a study has made are in no
-- store and come from relation made_text.
select t.caption_id, t.tokens
from caption_tokens as t
semi join text_at_work as w on w.caption_id = t.caption_id
where t.tokenizer = $tokenizer::varchar
union all
select caption_id, tokens from made_text
