-- name: foremost_opening
-- version: 1
-- grain: opening
-- params: least_captions INTEGER
-- reads: opening_count, vocabulary
-- returns: opening, captions, words, begun
--
-- The ten most frequent openings of three tokens, and how many captions begin with one of them. An opening counts from
-- `least_captions` captions on: in a small dataset, any ten openings cover many captions. Ties are ranked by spelling.
with frequent as (
    select o.opening, o.captions, string_agg(v.token, ' ' order by u.nth) as words
    from (select opening, captions from opening_count where n = 3 and captions >= $least_captions::integer) as o,
        unnest(o.opening) with ordinality as u (token_id, nth)
    join vocabulary as v on v.token_id = u.token_id
    group by o.opening, o.captions
)
select opening, captions, words, (sum(captions) over ())::bigint as begun
from (from frequent qualify row_number() over (order by captions desc, words) <= 10)
