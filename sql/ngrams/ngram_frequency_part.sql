-- name: ngram_frequency_part
-- version: 2
-- grain: n-gram
-- params: first_image UINTEGER, last_image UINTEGER
-- reads: reference, text_tokens
-- returns: n, gram, occurrences, captions, images
--
-- N-gram frequencies (n = 1 to 4) of one bucket of images. Buckets share no image, so their parts can be added. Grams
-- are packed as in caption_gram. Captions with a gram are counted without a row for each: every caption of an image has
-- its own bit. A block is 60 captions, and only the few images with several blocks are summed again.
with placed as (
    select r.image_no, row_number() over (partition by r.image_no order by r.slot) - 1 as place, t.tokens
    from reference as r
    join text_tokens as t using (caption_id)
    where r.image_no between $first_image::uinteger and $last_image::uinteger
),
side_by_side as (
    select
        image_no,
        place // 60 as block,
        1::ubigint << (place % 60) as bit,
        unnest(tokens)::uhugeint as a,
        unnest(tokens[2:])::uhugeint as b,
        unnest(tokens[3:])::uhugeint as c,
        unnest(tokens[4:])::uhugeint as d
    from placed
),
packed as materialized (
    select
        image_no,
        block,
        bit,
        a,
        pack(a, b) as ab,
        pack(a, b, c) as abc,
        pack(a, b, c, d) as abcd
    from side_by_side
),
occurrence as (
    select image_no, block, bit, a as gram from packed where a is not null
    union all
    select image_no, block, bit, ab from packed where ab is not null
    union all
    select image_no, block, bit, abc from packed where abc is not null
    union all
    select image_no, block, bit, abcd from packed where abcd is not null
),
per_block as materialized (
    select image_no, block, gram, count(*) as occurrences, bit_count(bit_or(bit)) as captions
    from occurrence
    group by image_no, block, gram
),
crowded as (select distinct image_no from placed where place >= 60),
per_image as (
    select b.gram, b.occurrences, b.captions
    from per_block as b
    anti join crowded as c on c.image_no = b.image_no
    union all
    select b.gram, sum(b.occurrences), sum(b.captions)
    from per_block as b
    semi join crowded as c on c.image_no = b.image_no
    group by b.image_no, b.gram
)
select
    (1 + (gram >= first_bigram())::int + (gram >= first_trigram())::int + (gram >= first_four_gram())::int)::utinyint as n,
    gram,
    sum(occurrences)::uinteger as occurrences,
    sum(captions)::uinteger as captions,
    count(*)::uinteger as images
from per_image
group by gram
