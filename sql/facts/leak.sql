-- name: leak
-- version: 1
-- grain: caption that occurs in another split
-- params: key VARCHAR
-- reads: reference, caption_tokens, equal_text
-- returns: image_no, slot
--
-- The captions with the same tokens as a caption of another split of the version, by its one tokenizer, `key`: test
-- captions that occur in train, and train captions that occur in test. A caption in no split is not listed.
select r.image_no, r.slot
from reference as r
join caption_tokens as t on t.caption_id = r.caption_id and t.tokenizer = $key::varchar
join equal_text as e on e.tokens = t.tokens
where e.in_splits and r.split is not null
