-- name: boilerplate
-- version: 1
-- grain: caption
-- params: phrase_share DOUBLE, phrase_captions INTEGER, times_chance DOUBLE
-- reads: reference, text_tokens, vocabulary
-- returns: image, slot, why
-- order: r.image, r.slot
-- merges: not, it compares captions across shards
--
-- Captions with a phrase that recurs beyond chance: six tokens in a row, behind the first three tokens of the caption,
-- in at least `phrase_share` of the captions and in `phrase_captions` captions. By chance, a phrase is as frequent as
-- its first and its last three tokens together make it. It must be `times_chance` times as frequent.
with copy as (select caption_id, count(*) as copies from reference group by caption_id),
placed as (
    select t.caption_id, c.copies, t.tokens, unnest(range(4, len(t.tokens) - 4)) as place
    from text_tokens as t
    join copy as c using (caption_id)
    where len(t.tokens) >= 9
),
six as materialized (
    select
        caption_id, copies, place,
        hash(tokens[place], tokens[place + 1], tokens[place + 2]) as head,
        hash(tokens[place + 3], tokens[place + 4], tokens[place + 5]) as tail
    from placed
),
whole as (
    select
        (select count(*) from reference) as captions, (select sum(copies) from six) as places,
        greatest($phrase_share::double * (select count(*) from reference), $phrase_captions::integer) as least
),
usual_head as materialized (
    select s.head from six as s cross join whole as w group by s.head, w.least having sum(s.copies) >= w.least
),
usual as (
    select s.head, s.tail from six as s semi join usual_head as h on h.head = s.head cross join whole as w
    group by s.head, s.tail, w.least having sum(s.copies) >= w.least
),
held as materialized (
    select s.head, s.tail, s.caption_id, s.copies, min(s.place) as place
    from six as s
    semi join usual as u on u.head = s.head and u.tail = s.tail
    group by s.head, s.tail, s.caption_id, s.copies
),
frequent as (
    select h.head, h.tail, sum(h.copies) as captions, min((h.caption_id, h.place)) as example
    from held as h cross join whole as w group by h.head, h.tail, w.least having sum(h.copies) >= w.least
),
half as (
    select s.head, sum(s.copies) as times
    from six as s
    semi join (select head from frequent union select tail from frequent) as f on f.head = s.head
    group by s.head
),
phrase as (
    select f.head, f.tail, f.captions, f.example
    from frequent as f
    join half as a on a.head = f.head
    left join half as b on b.head = f.tail
    cross join whole as w
    where f.captions >= $times_chance::double * a.times * coalesce(b.times, f.captions) / w.places
),
spelled as (
    select p.head, p.tail, p.captions, string_agg(v.token, ' ' order by o.step) as words
    from phrase as p
    join text_tokens as t on t.caption_id = p.example[1]
    cross join (select unnest(range(6)) as step) as o
    join vocabulary as v on v.token_id = t.tokens[p.example[2] + o.step]
    group by p.head, p.tail, p.captions
)
select
    r.image, r.slot,
    format('“{}”, in {} of {} captions', max_by(s.words, (s.captions, s.words)), max(s.captions)::bigint, any_value(w.captions)) as why
from held as h
join spelled as s on s.head = h.head and s.tail = h.tail
join reference as r using (caption_id)
cross join whole as w
group by r.image, r.slot
order by r.image, r.slot
