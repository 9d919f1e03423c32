-- name: common_opening
-- version: 2
-- grain: caption
-- params: least_share DOUBLE, least_captions INTEGER
-- reads: reference, text_tokens, vocabulary
-- returns: image, slot, why
-- order: b.image, b.slot
--
-- Captions that begin with one of the ten most frequent openings of three tokens, if these make up at least
-- `least_share` of the captions. Numbers at the beginning are one opening, whatever follows: a model that counts
-- first (“2 dogs in a field”, “3 men on a beach”) hardly repeats three tokens. An opening counts from
-- `least_captions` captions on: in a small dataset, any ten openings cover many captions. Ties are ranked by spelling.
with begun as (
    select r.image, r.slot, case when v.token ~ '\d.*' then [] else t.tokens[:3] end as opening
    from reference as r
    join text_tokens as t using (caption_id)
    join vocabulary as v on v.token_id = t.tokens[1]
    where len(t.tokens) >= 3 or v.token ~ '\d.*'
),
counted as (select opening, count(*) as captions from begun group by opening having count(*) >= $least_captions::integer),
frequent as (
    select c.opening, any_value(c.captions) as captions,
        coalesce('“' || string_agg(v.token, ' ' order by u.nth) || '”', 'a number') as words
    from counted as c
    left join (select opening, unnest(opening) as token_id, generate_subscripts(opening, 1) as nth from counted) as u using (opening)
    left join vocabulary as v using (token_id)
    group by c.opening
),
foremost as (
    select opening, captions, words, sum(captions) over () as begun
    from (from frequent qualify row_number() over (order by captions desc, words) <= 10)
),
whole as (select count(*) as captions from reference)
select b.image, b.slot, format('begins with {}, as {} of {} captions do', f.words, f.captions, w.captions) as why
from begun as b
join foremost as f using (opening)
cross join whole as w
where f.begun >= $least_share::double * w.captions
order by b.image, b.slot
