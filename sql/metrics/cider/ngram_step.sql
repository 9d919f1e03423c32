-- name: ngram_step
-- version: 1
-- grain: n-gram, number of references
-- reads: reference_place, text_position, candidate
-- returns: gram, step, images
-- cites: Vedantam et al. 2015, section 4, eq. 1 (images: the document frequency)
--
-- How many images begin to hold an n-gram when the reference of that step joins the others: document frequencies at k
-- references are sums up to k. Where captions are held out, k references and one more are at work. N-grams that one image
-- alone holds are left out, since their frequency is 1 whatever joins. Packed as in caption_gram.
with packed as (
    select
        r.image_no,
        r.place,
        p.a::uhugeint as a,
        pack(p.a::uhugeint, p.b) as ab,
        pack(p.a::uhugeint, p.b, p.c) as abc,
        pack(p.a::uhugeint, p.b, p.c, p.d) as abcd
    from reference_place as r
    join text_position as p using (caption_id)
),
occurrence as (
    select image_no, place, a as gram from packed where a is not null
    union all
    select image_no, place, ab from packed where ab is not null
    union all
    select image_no, place, abc from packed where abc is not null
    union all
    select image_no, place, abcd from packed where abcd is not null
),
per_image as (select gram, min(place) as place from occurrence group by image_no, gram),
held_out as (select coalesce(bool_or(held_out is not null), false)::utinyint as spare from candidate),
counted as (
    select p.gram, greatest(p.place - h.spare, 1)::uinteger as step, count(*)::uinteger as images
    from per_image as p
    cross join held_out as h
    group by all
),
known as (select gram from counted group by gram having sum(images) > 1)
select c.gram, c.step, c.images
from counted as c
semi join known as k using (gram)
