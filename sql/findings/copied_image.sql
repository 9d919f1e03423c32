-- name: copied_image
-- version: 3
-- grain: image, image that it copies
-- params: certain DOUBLE
-- reads: reference, text_tokens
-- returns: image, slot, split, other_image, other_slot, other_split, shared, captions, other_captions, bits
-- order: o.image, t.image
-- merges: not, it compares captions across shards
--
-- Images that share at least two texts with another image, and at least half of the texts of either: one image under
-- two ids. Short texts of frequent words meet by chance, and so do texts of many images. A text is worth as many bits
-- as its tokens are rare, divided by the number of other images that have it. Together, the shared texts must be worth
-- `certain` times the bits that separate an image from the others. `slot` and `other_slot` are of one such text.
with token_bits as (
    select t.token_id, -log2(count(*) / sum(count(*)) over ()) as bits
    from (select unnest(tokens) as token_id from reference join text_tokens using (caption_id)) as t
    group by t.token_id
),
worded as (
    select r.image_no, t.tokens, min(r.slot) as slot
    from reference as r
    join text_tokens as t using (caption_id)
    where len(t.tokens) >= 4
    group by r.image_no, t.tokens
),
held as (
    select tokens, row_number() over (order by tokens) as text_no, count(*) as images
    from worded
    group by tokens
    having count(*) >= 2
),
worth as (
    select u.text_no, sum(b.bits) / (any_value(u.images) - 1) as bits
    from (select text_no, images, unnest(tokens) as token_id from held where images <= 20) as u
    join token_bits as b using (token_id)
    group by u.text_no
),
shared as (
    select w.image_no, w.slot, h.text_no, v.bits
    from worded as w
    join held as h using (tokens)
    join worth as v using (text_no)
),
pair as (
    select
        a.image_no, b.image_no as other_no, count(*) as shared, sum(a.bits) as bits, min(a.slot) as slot,
        arg_min(b.slot, a.slot) as other_slot
    from shared as a
    join shared as b on b.text_no = a.text_no and b.image_no <> a.image_no
    group by a.image_no, b.image_no
    having count(*) >= 2
),
described as (
    select image_no, any_value(image) as image, min(split) as split, count(*) as captions, count(*) over () as images
    from reference
    group by image_no
)
select
    o.image, p.slot, o.split, t.image as other_image, p.other_slot, t.split as other_split, p.shared::uinteger as shared,
    o.captions::uinteger as captions, t.captions::uinteger as other_captions, p.bits
from pair as p
join described as o on o.image_no = p.image_no
join described as t on t.image_no = p.other_no
where 2 * p.shared >= least(o.captions, t.captions) and p.bits >= $certain::double * log2(o.images)
order by o.image, t.image
