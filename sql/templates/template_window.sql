-- name: template_window
-- version: 2
-- grain: caption text, place of a token
-- params: least INTEGER
-- reads: reference, text_tokens
-- returns: caption_id, copies, a, b, c, d, e, f, g, ab, bc, cd, de, ef, fg
--
-- The token at each position of each text and the six after it; null after the end of the text. `copies` is the number
-- of captions with the text. The lists are unnested in parallel, each shifted by one (see text_position). `ab` to `fg`:
-- the two tokens follow each other `least` times or more, as those of a template do.
with spoken as (select caption_id, count(*)::uinteger as copies from reference group by caption_id),
placed as materialized (
    select
        t.caption_id, s.copies,
        unnest(t.tokens) as a, unnest(t.tokens[2:]) as b, unnest(t.tokens[3:]) as c, unnest(t.tokens[4:]) as d,
        unnest(t.tokens[5:]) as e, unnest(t.tokens[6:]) as f, unnest(t.tokens[7:]) as g
    from text_tokens as t
    join spoken as s using (caption_id)
),
usual as materialized (
    select a as this, b as next from placed where b is not null group by a, b having sum(copies) >= $least::integer
)
select
    p.caption_id, p.copies, p.a, p.b, p.c, p.d, p.e, p.f, p.g,
    ab.this is not null as ab, bc.this is not null as bc, cd.this is not null as cd, de.this is not null as de,
    ef.this is not null as ef, fg.this is not null as fg
from placed as p
left join usual as ab on ab.this = p.a and ab.next = p.b
left join usual as bc on bc.this = p.b and bc.next = p.c
left join usual as cd on cd.this = p.c and cd.next = p.d
left join usual as de on de.this = p.d and de.next = p.e
left join usual as ef on ef.this = p.e and ef.next = p.f
left join usual as fg on fg.this = p.f and fg.next = p.g
