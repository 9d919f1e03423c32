-- name: template_window
-- version: 1
-- grain: caption text, place of a token
-- reads: reference, text_tokens
-- returns: caption_id, copies, a, b, c, d, e, f, g
--
-- The token at each position of each text and the six after it; null after the end of the text. `copies` is the number
-- of captions with the text. The lists are unnested in parallel, each shifted by one (see text_position).
with spoken as (select caption_id, count(*)::uinteger as copies from reference group by caption_id)
select
    t.caption_id, s.copies,
    unnest(t.tokens) as a, unnest(t.tokens[2:]) as b, unnest(t.tokens[3:]) as c, unnest(t.tokens[4:]) as d,
    unnest(t.tokens[5:]) as e, unnest(t.tokens[6:]) as f, unnest(t.tokens[7:]) as g
from text_tokens as t
join spoken as s using (caption_id)
