-- name: first_person
-- version: 1
-- grain: caption
-- reads: reference, caption
-- returns: image, slot, why
-- order: image, slot
--
-- Captions that begin with who writes or reads (I, we, you, my, our, let me) and do not go on to what there is to see ("we
-- see a dog" describes it). "I man" for "A man" is among them.
with begun as (
    select
        r.image, r.slot, lower(c.text) as said,
        regexp_extract(lower(c.text), '^[\s\p{P}]*(i|we|you|my|our|let me|let us)[\s,''’]', 1) as opening
    from reference as r
    join caption as c using (caption_id)
)
select image, slot, 'begins with ' || opening as why
from begun
where
    opening <> ''
    and not regexp_matches(
        said,
        '^[\s\p{P}]*(i|we|you)( can| could| may| might| are| am|.m|.re)?( just| only| also| clearly| partially| even)?'
        || ' (see|seeing|look|looking|view|viewing)\b'
    )
order by image, slot
