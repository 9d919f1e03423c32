-- name: normalized_form
-- version: 1
-- grain: caption text
-- params: tokenizer VARCHAR, as_written BOOLEAN
-- reads: reference, caption, caption_tokens
-- returns: caption_id, form
-- cites: van Miltenburg et al. 2018, section 2; the paper's code: lower().strip('.?!')
--
-- The form by which two captions are compared: their tokens, null if there are none. As written: the text in lower
-- case without full stops, question and exclamation marks at its ends, with spaces unchanged.
with spoken as (select distinct caption_id from reference)
select
    c.caption_id,
    case
        when $as_written::boolean then trim(lower(c.text), '.?!')
        when len(t.tokens) > 0 then array_to_string(t.tokens, ' ')
    end as form
from spoken as s
join caption as c using (caption_id)
join caption_tokens as t on t.caption_id = c.caption_id and t.tokenizer = $tokenizer::varchar
