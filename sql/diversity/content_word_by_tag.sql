-- name: content_word_by_tag
-- version: 1
-- grain: caption text, word
-- reads: text_type, vocabulary, caption, tagged_word
-- returns: caption_id, token_id, is_content
-- cites: van Miltenburg et al. 2018, section 3.2
--
-- The words of texts, content where a tagger takes them for adjective, noun, verb or adverb in the text at hand. One word
-- may be content in one text and not in another.
with tagged as (
    select c.caption_id, v.token_id
    from tagged_word as w
    join caption as c on c.text = w.text
    join vocabulary as v on v.token = w.word
)
select t.caption_id, t.token_id, w.token_id is not null as is_content
from text_type as t
left join tagged as w on w.caption_id = t.caption_id and w.token_id = t.token_id
