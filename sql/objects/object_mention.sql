-- name: object_mention
-- version: 1
-- grain: mention of an object in a caption text
-- reads: text_tokens, object_form
-- returns: caption_id, position, object, words
-- cites: Rohrbach et al. 2018, section 3: words of a caption that are synonyms of an object
--
-- Where texts mention objects. Of mentions that overlap, the longest counts, and of equally long ones the first: a hot
-- dog is not a dog. A form of two objects mentions both.
with word as (
    select caption_id, tokens, unnest(tokens) as token_id, generate_subscripts(tokens, 1) as position
    from text_tokens
),
matched as (
    select w.caption_id, w.position, f.object, f.words, len(f.tokens) as length
    from word as w
    join object_form as f
        on f.first_token = w.token_id and w.tokens[w.position:w.position + len(f.tokens) - 1] = f.tokens
)
select m.caption_id, m.position::uinteger as position, m.object, m.words
from matched as m
where not exists (
    select 1
    from matched as o
    where o.caption_id = m.caption_id and o.position < m.position + m.length and m.position < o.position + o.length
        and (o.length > m.length or (o.length = m.length and o.position < m.position))
)
