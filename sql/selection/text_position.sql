-- name: text_position
-- version: 1
-- grain: caption text, place of a token
-- reads: text_tokens
-- returns: caption_id, a, b, c, d
--
-- The token at each place of each text, and the three that follow it; null where the text ends before. The lists are
-- unnested side by side, shifted by one each. A relation of its own because the planner takes an unnested list for one
-- row: here it sees how many there are, and builds its hash tables on the other side.
select
    caption_id,
    unnest(tokens) as a,
    unnest(tokens[2:]) as b,
    unnest(tokens[3:]) as c,
    unnest(tokens[4:]) as d
from text_tokens
