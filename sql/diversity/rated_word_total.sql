-- name: rated_word_total
-- version: 1
-- grain: statistic
-- params: middle DOUBLE
-- reads: reference, text_tokens, vocabulary, rated_word
-- returns: class, images, part, whole, part_square, whole_square, product
-- order: class
-- cites: Ferraro et al. 2015, in van Miltenburg et al. 2018, section 5.1: abstract to concrete words
--
-- Totals over images of the words with a rating: their share of all words, their mean rating, and the ratio of those
-- rated below the middle (abstract, in norms of concreteness) to the others.
with spelled as (select caption_id, unnest(tokens) as token_id from text_tokens),
rated as (
    select
        s.caption_id, count(*)::double as words, count(r.rating)::double as rated, coalesce(sum(r.rating order by s.token_id), 0) as rating,
        count(*) filter (where r.rating < $middle::double)::double as below,
        count(*) filter (where r.rating >= $middle::double)::double as above
    from spelled as s
    join vocabulary as v on v.token_id = s.token_id
    left join rated_word as r on r.word = v.token
    group by s.caption_id
),
of_image as (
    select
        c.image, sum(r.words) as words, sum(r.rated) as rated, sum(r.rating order by r.caption_id) as rating, sum(r.below) as below,
        sum(r.above) as above
    from reference as c
    join rated as r on r.caption_id = c.caption_id
    group by c.image
),
ratio as (
    select 'rated-words' as class, image, rated as part, words as whole from of_image
    union all
    select 'word-rating', image, rating, rated from of_image
    union all
    select 'abstract-to-concrete', image, below, above from of_image
)
select
    class, count(*) as images, sum(part order by image) as part, sum(whole) as whole,
    sum(part * part order by image) as part_square,
    sum(whole * whole) as whole_square, sum(part * whole order by image) as product
from ratio
group by class
order by class
