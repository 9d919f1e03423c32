-- name: shifted_image
-- version: 1
-- grain: image
-- params: other VARCHAR, other_seq INTEGER, tokenizer VARCHAR
-- reads: reference, text_tokens, membership, caption_tokens
-- returns: image, slot, other_image, images, agreeing
-- order: m.image
-- merges: not, it compares with another version in the store
--
-- Images with a text that the version `other_seq` of dataset `other` has for another image only, as after a list of
-- captions has slipped by a line. Neither image has a text in common with itself there, and the other image has such a
-- text too, or its text is at one: a chain. Texts of fewer than four tokens, or at several images, do not count. `images`
-- counts the images in both versions, `agreeing` those with a text in common.
with own as (
    select r.image, hash(t.tokens) as text, min(r.slot) as slot, min(len(t.tokens)) as size
    from reference as r
    join text_tokens as t using (caption_id)
    where len(t.tokens) > 0
    group by r.image, hash(t.tokens)
),
theirs as (
    select m.image, hash(t.tokens) as text
    from membership as m
    join caption_tokens as t using (caption_id)
    where m.dataset = $other::varchar and t.tokenizer = $tokenizer::varchar and len(t.tokens) > 0
        and is_held(m.from_seq, m.to_seq, $other_seq::integer)
    group by m.image, hash(t.tokens)
),
held as (select distinct o.image from own as o semi join theirs as t on t.image = o.image),
same as (select distinct o.image from own as o join theirs as t on t.image = o.image and t.text = o.text),
counted as (select (select count(*) from held)::uinteger as images, (select count(*) from same)::uinteger as agreeing),
own_single as (
    select text, any_value(image) as image, min(slot) as slot from own where size >= 4 group by text having count(*) = 1
),
their_single as (select text, any_value(image) as image from theirs group by text having count(*) = 1),
moved as (
    select o.image, t.image as other_image, min(o.slot) as slot
    from own_single as o
    join their_single as t using (text)
    semi join held as h on h.image = o.image
    semi join held as g on g.image = t.image
    anti join same as s on s.image = o.image
    anti join same as q on q.image = t.image
    where o.image <> t.image
    group by o.image, t.image
)
select m.image, m.slot, m.other_image, c.images, c.agreeing
from moved as m
cross join counted as c
where exists (select 1 from moved as n where n.image = m.other_image or n.other_image = m.image)
qualify row_number() over (partition by m.image order by m.other_image) = 1
order by m.image
