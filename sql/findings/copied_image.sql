-- name: copied_image
-- version: 2
-- grain: image, image that it copies
-- params: rare INTEGER
-- reads: reference, text_tokens
-- returns: image, slot, split, other_image, other_slot, other_split, shared, captions, other_captions
-- order: o.image, t.image
--
-- Images that share at least two texts with another image, and at least half of the texts of either: one image under
-- two ids. Only texts with at least four tokens and at most `rare` images count: frequent texts prove nothing. `slot`
-- and `other_slot` are the position of one shared text.
with worded as (
    select r.image_no, t.tokens, min(r.slot) as slot
    from reference as r
    join text_tokens as t using (caption_id)
    where len(t.tokens) >= 4
    group by r.image_no, t.tokens
),
numbered as (
    select image_no, slot, dense_rank() over (order by tokens) as text_no from worded
),
shared as (
    select image_no, slot, text_no
    from numbered
    qualify count(*) over (partition by text_no) between 2 and $rare::integer
),
pair as (
    select
        a.image_no, b.image_no as other_no, count(*) as shared, min(a.slot) as slot,
        arg_min(b.slot, a.slot) as other_slot
    from shared as a
    join shared as b on b.text_no = a.text_no and b.image_no <> a.image_no
    group by a.image_no, b.image_no
    having count(*) >= 2
),
described as (
    select image_no, any_value(image) as image, min(split) as split, count(*) as captions
    from reference
    group by image_no
)
select
    o.image, p.slot, o.split, t.image as other_image, p.other_slot, t.split as other_split, p.shared::uinteger as shared,
    o.captions::uinteger as captions, t.captions::uinteger as other_captions
from pair as p
join described as o on o.image_no = p.image_no
join described as t on t.image_no = p.other_no
where 2 * p.shared >= least(o.captions, t.captions)
order by o.image, t.image
