-- name: text_position
-- version: 1
-- grain: caption text, position of a token
-- reads: text_tokens
-- returns: caption_id, a, b, c, d
--
-- The token at each position of each text, and the three that follow it; null after the end of the text. The lists are
-- unnested side by side, shifted by one each. This is a separate relation because the planner estimates one row for an
-- unnested list: here it sees the number of rows, and builds its hash tables on the other side.
select caption_id, unnest(tokens) as a, unnest(tokens[2:]) as b, unnest(tokens[3:]) as c, unnest(tokens[4:]) as d
from text_tokens
