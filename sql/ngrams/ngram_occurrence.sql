-- name: ngram_occurrence
-- version: 1
-- grain: text of an image, position of an n-gram
-- reads: image_text
-- returns: text_no, n, gram_no, gram, is_once, holders, first_holder
--
-- The n-grams (n = 1 to 4) that an image has more than once. An n-gram can only occur twice if its first n - 1 tokens
-- do. So each order is built from the remaining n-grams of the previous one, by their number and one more token: 64
-- bits per key. `gram_no` holds within the image, `gram` is packed as in caption_gram. If the texts set as many
-- separate bits as there are occurrences, each has the n-gram once (`is_once`); `holders` counts the references among
-- them, first_holder is the first. Other n-grams are in repeated_ngram. N-grams of several substitutes only are left out.
with position as (
    select
        text_no, image_no, place_bit,
        unnest(tokens)::ubigint as a, unnest(tokens[2:]) as b, unnest(tokens[3:]) as c, unnest(tokens[4:]) as d
    from image_text
),
first as materialized (
    select text_no, place_bit, a, b, c, d, pack(image_no::ubigint, a) as gram_key from position where a is not null
),
unigram as materialized (
    select
        gram_key, 4 * row_number() over () as gram_no, count(*) = bit_count(bit_or(place_bit)) as is_once,
        count(*) filter (text_no & 2 = 2) as holders, min(text_no) filter (text_no & 2 = 2) as first_holder
    from first
    group by gram_key
    having count(*) > 1 and (holders > 0 or not is_once)
),
second as materialized (
    select p.text_no, p.place_bit, p.a, p.b, p.c, p.d, g.* exclude (gram_key), pack(g.gram_no::ubigint, p.b) as gram_key
    from first as p
    join unigram as g using (gram_key)
),
bigram as materialized (
    select
        gram_key, 4 * row_number() over () + 1 as gram_no, count(*) = bit_count(bit_or(place_bit)) as is_once,
        count(*) filter (text_no & 2 = 2) as holders, min(text_no) filter (text_no & 2 = 2) as first_holder
    from second
    where b is not null
    group by gram_key
    having count(*) > 1 and (holders > 0 or not is_once)
),
third as materialized (
    select p.text_no, p.place_bit, p.a, p.b, p.c, p.d, g.* exclude (gram_key), pack(g.gram_no::ubigint, p.c) as gram_key
    from second as p
    join bigram as g using (gram_key)
),
trigram as materialized (
    select
        gram_key, 4 * row_number() over () + 2 as gram_no, count(*) = bit_count(bit_or(place_bit)) as is_once,
        count(*) filter (text_no & 2 = 2) as holders, min(text_no) filter (text_no & 2 = 2) as first_holder
    from third
    where c is not null
    group by gram_key
    having count(*) > 1 and (holders > 0 or not is_once)
),
fourth as materialized (
    select p.text_no, p.place_bit, p.a, p.b, p.c, p.d, g.* exclude (gram_key), pack(g.gram_no::ubigint, p.d) as gram_key
    from third as p
    join trigram as g using (gram_key)
),
four_gram as (
    select
        gram_key, 4 * row_number() over () + 3 as gram_no, count(*) = bit_count(bit_or(place_bit)) as is_once,
        count(*) filter (text_no & 2 = 2) as holders, min(text_no) filter (text_no & 2 = 2) as first_holder
    from fourth
    where d is not null
    group by gram_key
    having count(*) > 1 and (holders > 0 or not is_once)
)
select text_no, 1::utinyint as n, gram_no::uinteger as gram_no, a::uhugeint as gram, is_once, holders::uinteger as holders, first_holder
from second
union all
select text_no, 2, gram_no, pack(a, b), is_once, holders, first_holder from third
union all
select text_no, 3, gram_no, pack(a::uhugeint, b, c), is_once, holders, first_holder from fourth
union all
select p.text_no, 4, g.gram_no, pack(p.a::uhugeint, p.b, p.c, p.d), g.is_once, g.holders, g.first_holder
from fourth as p
join four_gram as g using (gram_key)
