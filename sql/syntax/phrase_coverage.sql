-- name: phrase_coverage
-- version: 1
-- grain: kind
-- reads: image_phrase, phrase_of_people, reference, evaluated_image
-- returns: kind, types, covered
-- order: t.kind
-- cites: van Miltenburg et al. 2018, eq. 2, of phrases in place of words
--
-- The different phrases in human captions of the images that both describe, and how many of these the system uses.
with shared as (select distinct r.image from reference as r semi join evaluated_image as i on i.image = r.image),
theirs as (select distinct p.kind, p.phrase from phrase_of_people as p semi join shared as s on s.image = p.image),
ours as (select distinct p.kind, p.phrase from image_phrase as p semi join shared as s on s.image = p.image)
select t.kind, count(*) as types, count(o.phrase) as covered
from theirs as t
left join ours as o on o.kind = t.kind and o.phrase = t.phrase
group by t.kind
order by t.kind
