-- name: gram_repeat
-- version: 1
-- grain: n-gram
-- params: first_image UINTEGER, last_image UINTEGER
-- reads: reference, text_tokens
-- returns: gram, of_captions, of_images
--
-- The n-grams (n = 1 to 4) that an image of one bucket has more than once: how many of their occurrences repeat an
-- earlier one of the same caption, and how many one of the same image. They are found order by order, as in
-- ngram_occurrence, in blocks of 60 captions, each with its own bit. The few that several blocks of an image share are
-- counted apart. Grams are packed as in caption_gram.
with placed as (
    select r.image_no, row_number() over (partition by r.image_no order by r.slot) - 1 as place, t.tokens
    from reference as r
    join text_tokens as t using (caption_id)
    where r.image_no between $first_image::uinteger and $last_image::uinteger
),
position as materialized (
    select
        image_no, place // 60 as block, 1::ubigint << (place % 60) as bit,
        unnest(tokens)::ubigint as a, unnest(tokens[2:]) as b, unnest(tokens[3:]) as c, unnest(tokens[4:]) as d
    from placed
),
first as (
    select bit, a, b, c, d, pack((image_no - $first_image::uinteger)::ubigint * 65536 + block, a) as gram_key
    from position
    where a is not null
),
unigram as materialized (
    select gram_key, row_number() over () as no, count(*) as n, bit_count(bit_or(bit)) as held, any_value(a) as gram
    from first group by gram_key having count(*) > 1
),
second as materialized (
    select p.bit, p.a, p.b, p.c, p.d, pack(g.no::ubigint, p.b) as gram_key
    from first as p join unigram as g using (gram_key) where p.b is not null
),
bigram as materialized (
    select gram_key, row_number() over () as no, count(*) as n, bit_count(bit_or(bit)) as held, any_value(pack(a, b)) as gram
    from second group by gram_key having count(*) > 1
),
third as materialized (
    select p.bit, p.a, p.b, p.c, p.d, pack(g.no::ubigint, p.c) as gram_key
    from second as p join bigram as g using (gram_key) where p.c is not null
),
trigram as materialized (
    select gram_key, row_number() over () as no, count(*) as n, bit_count(bit_or(bit)) as held, any_value(pack(a::uhugeint, b, c)) as gram
    from third group by gram_key having count(*) > 1
),
four_gram as (
    select count(*) as n, bit_count(bit_or(p.bit)) as held, any_value(pack(p.a::uhugeint, p.b, p.c, p.d)) as gram
    from third as p join trigram as g using (gram_key) where p.d is not null
    group by g.no, p.d having count(*) > 1
),
across as (
    select image_no, block, unnest([a, pack(a, b), pack(a::uhugeint, b, c), pack(a::uhugeint, b, c, d)]) as gram
    from position where image_no in (select image_no from position where block > 0)
)
select gram, sum(captions)::bigint as of_captions, sum(images)::bigint as of_images
from (
    select gram, n - held as captions, n - 1 as images
    from (from unigram union all by name from bigram union all by name from trigram union all by name from four_gram)
    union all select gram, 0, count(distinct block) - 1 from across where gram is not null group by image_no, gram
)
group by gram
