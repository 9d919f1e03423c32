-- name: image_gram
-- version: 1
-- grain: image
-- params: tokenizer VARCHAR
-- reads: reference, caption_tokens
-- returns: image, captions, words, unigrams, bigrams
-- order: i.image
-- cites: Shetty et al. 2017, table 4 (Div-1, Div-2)
--
-- The words in all captions of an image, and the different words and bigrams among them. Bigrams don't cross captions.
with described as (
    select r.image, t.tokens
    from reference as r
    join caption_tokens as t on t.caption_id = r.caption_id and t.tokenizer = $tokenizer::varchar
),
side_by_side as (select image, unnest(tokens)::uhugeint as a, unnest(tokens[2:])::uhugeint as b from described),
gram as (
    select image, count(distinct a) as unigrams, count(distinct pack(a, b)) filter (where b is not null) as bigrams
    from side_by_side
    where a is not null
    group by image
),
size as (select image, count(*) as captions, sum(len(tokens))::bigint as words from described group by image)
select i.image, i.captions, i.words, coalesce(g.unigrams, 0) as unigrams, coalesce(g.bigrams, 0) as bigrams
from size as i
left join gram as g using (image)
order by i.image
