-- name: opening_count
-- version: 1
-- grain: number of tokens, opening
-- reads: reference, text_tokens
-- returns: n, opening, captions
-- merges: sum captions
--
-- The number of captions that begin with the same 2, 3, 4 or 5 tokens. Shorter captions have no such opening.
with spoken as (select caption_id, count(*) as copies from reference group by caption_id),
sizes as (select unnest(range(2, 6))::integer as n)
select z.n, t.tokens[:z.n] as opening, sum(s.copies)::bigint as captions
from text_tokens as t
join spoken as s using (caption_id)
cross join sizes as z
where len(t.tokens) >= z.n
group by z.n, t.tokens[:z.n]
