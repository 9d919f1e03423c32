-- name: image_ngram
-- version: 1
-- grain: image, caption text, n-gram
-- params: first_image UINTEGER, last_image UINTEGER
-- reads: reference, candidate, bucket_text
-- returns: image_no, caption_id, n, gram, tf
--
-- How often each n-gram (n = 1 to 4) occurs in each selected text of an image, for n-grams that two texts can share: an
-- n-gram with a token that occurs once in the image cannot match another, and is left out at the start. The lists are
-- unnested side by side, shifted by one each; null fills the shorter ones. Packed as in caption_gram.
with described as (
    select image_no, caption_id from reference where image_no between $first_image::uinteger and $last_image::uinteger
    union all
    select image_no, caption_id
    from candidate
    where is_substitute and image_no between $first_image::uinteger and $last_image::uinteger
),
selected as (select image_no, caption_id, count(*) as copies from described group by image_no, caption_id),
side_by_side as materialized (
    select
        w.image_no, w.caption_id, w.copies,
        unnest(t.tokens) as a, unnest(t.tokens[2:]) as b, unnest(t.tokens[3:]) as c, unnest(t.tokens[4:]) as d
    from selected as w
    join bucket_text as t using (caption_id)
),
shared as materialized (
    select image_no, a as token_id
    from side_by_side
    where a is not null
    group by image_no, a
    having sum(copies) > 1
),
packed as materialized (
    select
        p.image_no, p.caption_id, p.a::uhugeint as a,
        pack(p.a::uhugeint, b.token_id) as ab,
        c.token_id as c, d.token_id as d
    from side_by_side as p
    semi join shared as a on a.image_no = p.image_no and a.token_id = p.a
    left join shared as b on b.image_no = p.image_no and b.token_id = p.b
    left join shared as c on c.image_no = p.image_no and c.token_id = p.c
    left join shared as d on d.image_no = p.image_no and d.token_id = p.d
),
occurrence as (
    select image_no, caption_id, 1::utinyint as n, a as gram from packed
    union all
    select image_no, caption_id, 2, ab from packed where ab is not null
    union all
    select image_no, caption_id, 3, pack(ab, c) from packed where ab is not null and c is not null
    union all
    select image_no, caption_id, 4, pack(ab, c, d)
    from packed
    where ab is not null and c is not null and d is not null
)
select image_no, caption_id, n, gram, count(*)::uinteger as tf
from occurrence
group by image_no, caption_id, gram, n
