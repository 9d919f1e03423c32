-- name: caption_words
-- version: 1
-- grain: caption that has a word
-- params: as_text BOOLEAN
-- reads: reference, text_tokens
-- returns: image_no, image, split, slot, caption_id, words
--
-- What makes a caption equal to another: its tokens, or its letters, for which the number of its text stands. A caption
-- without a word says nothing, and so nothing that another says too.
select
    r.image_no, r.image, r.split, r.slot, r.caption_id,
    case when $as_text::boolean then [r.caption_id] else t.tokens end as words
from reference as r
join text_tokens as t using (caption_id)
where r.length > 0
