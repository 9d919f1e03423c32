-- name: content_word_by_tag
-- version: 2
-- grain: caption text, word
-- params: tokenizer VARCHAR
-- reads: text_type, caption_tokens, parse
-- returns: caption_id, token_id, is_content
-- cites: van Miltenburg et al. 2018, section 3.2
--
-- The words of texts; content words are tagged as adjective, noun, verb or adverb in this text (tags JJ*, NN*, VB*,
-- RB*). A word can be a content word in one text and not in another. The pipeline has the words of the tokenizer.
with tagged_word as (
    select t.caption_id, unnest(t.tokens) as token_id, unnest(p.tags) as tag
    from caption_tokens as t
    join parse as p on p.caption_id = t.caption_id
    where t.tokenizer = $tokenizer::varchar
),
tagged as (select distinct caption_id, token_id from tagged_word where regexp_matches(tag, '^(JJ|NN|VB|RB)'))
select t.caption_id, t.token_id, w.token_id is not null as is_content
from text_type as t
left join tagged as w on w.caption_id = t.caption_id and w.token_id = t.token_id
