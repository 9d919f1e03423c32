-- name: identical
-- version: 1
-- grain: pair of captions of one image
-- reads: caption_words, reference, caption
-- returns: split, image, slot_a, slot_b, all_identical, text_a, text_b
-- order: t.image, t.slot_a, t.slot_b
-- cites: Wang & Gaizauskas 2016, section 4.1
--
-- The captions of one image that are identical, two by two: n of them are n (n - 1) / 2 pairs. All captions of an image
-- are identical where one of them is the twin of every other; a caption without a word is nobody's twin.
with described as (
    select image_no, count(*) as captions
    from reference
    group by image_no
),
twin as (
    select a.image_no, a.split, a.image, a.slot as slot_a, b.slot as slot_b, a.caption_id as text_a, b.caption_id as text_b
    from caption_words as a
    join caption_words as b on b.image_no = a.image_no and b.words = a.words and b.slot > a.slot
),
twinned as (
    select image_no, count(*) as pairs
    from twin
    group by image_no
)
select
    t.split, t.image, t.slot_a, t.slot_b,
    2 * n.pairs = d.captions * (d.captions - 1) as all_identical,
    a.text as text_a, b.text as text_b
from twin as t
join twinned as n using (image_no)
join described as d using (image_no)
join caption as a on a.caption_id = t.text_a
join caption as b on b.caption_id = t.text_b
order by t.image, t.slot_a, t.slot_b
