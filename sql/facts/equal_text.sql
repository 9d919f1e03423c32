-- name: equal_text
-- version: 1
-- grain: text
-- params: key VARCHAR
-- reads: reference, caption_tokens
-- returns: tokens, at_images, in_splits
--
-- The different texts of the selected captions, by the one tokenizer of the version, `key`: captions with the same
-- tokens have one text. `at_images` and `in_splits` are whether these captions are at several images, or in several
-- splits. A caption without a word has no text, so it equals no other caption.
select
    t.tokens,
    min(r.image_no) <> max(r.image_no) as at_images,
    coalesce(min(r.split) <> max(r.split), false) as in_splits
from reference as r
join caption_tokens as t on t.caption_id = r.caption_id and t.tokenizer = $key::varchar
where len(t.tokens) > 0
group by t.tokens
