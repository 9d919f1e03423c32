-- name: exchanged_image
-- version: 1
-- grain: image
-- params: other VARCHAR, tokenizer VARCHAR
-- reads: reference, text_tokens, membership, caption_tokens
-- returns: image, slot, other_image, other_slot, shared, captions, images, agreeing
-- order: e.image
-- merges: not, it compares with another dataset of the store
--
-- Images whose captions another dataset, `other`, has for another image. Both datasets have the image id, no text of
-- the image is the same in both, and at least two texts belong to one other image there. `images` counts the images in
-- both datasets, `agreeing` those with a text in common. If few agree, the ids refer to different images. Texts are
-- compared by tokens. `slot` and `other_slot` are the position of one shared text.
with own as (
    select r.image, hash(t.tokens) as text, min(r.slot) as slot
    from reference as r
    join text_tokens as t using (caption_id)
    where len(t.tokens) > 0
    group by r.image, hash(t.tokens)
),
theirs as (
    select m.image, hash(t.tokens) as text, min(m.slot) as slot
    from membership as m
    join caption_tokens as t using (caption_id)
    where m.dataset = $other::varchar and m.to_seq is null and t.tokenizer = $tokenizer::varchar and len(t.tokens) > 0
    group by m.image, hash(t.tokens)
),
held as (select distinct o.image from own as o semi join theirs as t on t.image = o.image),
same as (select distinct o.image from own as o join theirs as t on t.image = o.image and t.text = o.text),
counted as (select (select count(*) from held)::uinteger as images, (select count(*) from same)::uinteger as agreeing),
elsewhere as (
    select
        o.image, t.image as other_image, count(*)::uinteger as shared, min(o.slot) as slot,
        arg_min(t.slot, o.slot) as other_slot
    from own as o
    semi join held as h on h.image = o.image
    anti join same as s on s.image = o.image
    join theirs as t on t.text = o.text
    group by o.image, t.image
    having count(*) >= 2
),
size as (select image, count(*)::uinteger as captions from reference group by image)
select e.image, e.slot, e.other_image, e.other_slot, e.shared, z.captions, c.images, c.agreeing
from elsewhere as e
join size as z on z.image = e.image
cross join counted as c
qualify row_number() over (partition by e.image order by e.shared desc, e.other_image) = 1
order by e.image
