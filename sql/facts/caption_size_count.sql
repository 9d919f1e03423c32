-- name: caption_size_count
-- version: 1
-- grain: length
-- params: key VARCHAR
-- reads: reference, caption_tokens
-- returns: tokens, captions
-- merges: sum captions
--
-- The number of captions by number of tokens, by the one tokenizer of the version, `key`.
select len(t.tokens)::uinteger as tokens, count(*) as captions
from reference as r
join caption_tokens as t on t.caption_id = r.caption_id and t.tokenizer = $key::varchar
group by len(t.tokens)
