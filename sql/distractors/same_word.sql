-- name: same_word
-- version: 1
-- grain: two head words
-- reads: trained_mention
-- returns: kind, head, other_head
-- cites: Hodosh & Hockenmaier 2016, section 3.1: headwords of scene chunks that co-occur in the training corpus
--
-- Pairs of head words that can describe the same thing, each also with itself. Scenes: both are used for one image of
-- the training split. Persons: chains of phrases use both for one person, in at least 1 of 20 uses of the rarer word,
-- since captions of one image may describe different persons. "man" and "worker" can be one, "man" and "woman" are not.
with mention as (
    select distinct kind, head, image, if(kind = 'scene', '', chain) as chain
    from trained_mention
    where kind = 'scene' or chain <> '0'
),
word as (select kind, head, count(*) as places from mention group by all),
together as (
    select a.kind, a.head, b.head as other_head, count(*) as places
    from mention as a
    join mention as b on b.kind = a.kind and b.image = a.image and b.chain = a.chain
    group by all
)
select kind, head, other_head
from together
join word as a using (kind, head)
join word as b on b.kind = together.kind and b.head = together.other_head
where together.kind = 'scene' or 20 * together.places >= least(a.places, b.places)
