-- name: common_opening
-- version: 1
-- grain: caption
-- params: least_share DOUBLE, least_captions INTEGER
-- reads: reference, text_tokens, opening_count, vocabulary
-- returns: image, slot, why
-- order: r.image, r.slot
--
-- Captions that begin with one of the ten most frequent openings of three tokens, if these make up at least
-- `least_share` of the captions. An opening counts from `least_captions` captions on: in a small dataset, any ten
-- openings cover many captions. Ties are ranked by spelling.
with frequent as (
    select o.opening, o.captions, string_agg(v.token, ' ' order by u.nth) as words
    from (select opening, captions from opening_count where n = 3 and captions >= $least_captions::integer) as o,
        unnest(o.opening) with ordinality as u (token_id, nth)
    join vocabulary as v on v.token_id = u.token_id
    group by o.opening, o.captions
),
foremost as (
    select opening, captions, words, sum(captions) over () as begun
    from (from frequent qualify row_number() over (order by captions desc, words) <= 10)
),
whole as (select count(*) as captions from reference)
select r.image, r.slot, format('begins with “{}”, as {} of {} captions do', f.words, f.captions, w.captions) as why
from reference as r
join text_tokens as t using (caption_id)
join foremost as f on f.opening = t.tokens[:3]
cross join whole as w
where f.begun >= $least_share::double * w.captions
order by r.image, r.slot
