-- name: text_change
-- version: 1
-- grain: generated text
-- params: tokenizer VARCHAR
-- reads: reference, caption_tokens, made_text
-- returns: candidate, image, slot, changed, replaced, words
-- order: m.candidate, m.image, m.slot
--
-- The change of each rewritten caption: whether it changed, its positions with another word, and its words afterwards.
select
    m.candidate, m.image, m.slot,
    m.tokens <> t.tokens as changed,
    len(list_filter(m.tokens, lambda token, position: token <> t.tokens[position]))::uinteger as replaced,
    len(m.tokens)::uinteger as words
from made_text as m
join reference as r on r.image = m.image and r.slot = m.slot
join caption_tokens as t on t.caption_id = r.caption_id and t.tokenizer = $tokenizer::varchar
order by m.candidate, m.image, m.slot
