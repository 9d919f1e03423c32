-- name: image_phrase
-- version: 1
-- grain: image, kind, phrase
-- reads: reference, phrase_said
-- returns: image, kind, phrase, captions
--
-- The compounds of two nouns and prepositional phrases of depth 1 in captions of each image, and how many have them.
select r.image, p.kind, p.phrase, count(*) as captions
from reference as r
join phrase_said as p using (caption_id)
where p.kind in ('compound-2', 'pp-1')
group by r.image, p.kind, p.phrase
