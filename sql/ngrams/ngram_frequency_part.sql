-- name: ngram_frequency_part
-- version: 4
-- grain: n-gram
-- params: first_image UINTEGER, last_image UINTEGER
-- reads: reference, text_tokens, gram_repeat
-- returns: n, gram, occurrences, captions, images
--
-- N-gram frequencies (n = 1 to 4) of one bucket of images. Buckets share no image, so their parts can be added. Grams
-- are packed as in caption_gram. All occurrences are counted; images and captions are these, less the repeats within
-- each, which gram_repeat has for all images of the bucket, or for one range of them after another.
with position as materialized (
    select
        unnest(t.tokens)::ubigint as a, unnest(t.tokens[2:]) as b, unnest(t.tokens[3:]) as c, unnest(t.tokens[4:]) as d
    from reference as r
    join text_tokens as t using (caption_id)
    where r.image_no between $first_image::uinteger and $last_image::uinteger
),
counted as (
    select 1 as n, a::uhugeint as gram, count(*) as occurrences from position where a is not null group by a
    union all
    select 2, pack(a, b), count(*) from position where b is not null group by pack(a, b)
    union all
    select 3, pack(a::uhugeint, b, c), count(*) from position where c is not null group by pack(a::uhugeint, b, c)
    union all
    select 4, pack(a::uhugeint, b, c, d), count(*) from position where d is not null group by pack(a::uhugeint, b, c, d)
),
repeated as (
    select gram, sum(of_captions)::bigint as of_captions, sum(of_images)::bigint as of_images from gram_repeat group by gram
)
select
    n::utinyint as n, gram, occurrences::uinteger as occurrences, (occurrences - coalesce(of_captions, 0))::uinteger as captions,
    (occurrences - coalesce(of_images, 0))::uinteger as images
from counted
left join repeated using (gram)
