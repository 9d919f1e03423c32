-- name: pooled_frequency
-- version: 1
-- grain: n-gram
-- params: versions VARCHAR[], version VARCHAR, profile VARCHAR
-- reads: cache.ngram_frequency, vocabulary
-- returns: gram, images
-- cites: Wang & Gaizauskas 2016, section 3, note 7
--
-- Document frequencies of several versions together, of the n-grams that one of them has, in words. Looked up and added
-- as packed numbers, and spelled at the end.
with pooled as (
    select n, gram, sum(images)::uinteger as images
    from cache.ngram_frequency
    where list_contains($versions::varchar[], version) and profile = $profile::varchar
    group by n, gram
),
own as (
    select gram
    from cache.ngram_frequency
    where version = $version::varchar and profile = $profile::varchar
)
select concat_ws(' ', d.token, c.token, b.token, a.token) as gram, p.images
from pooled as p
semi join own as o on o.gram = p.gram
join vocabulary as a on a.token_id = p.gram % 4294967296
left join vocabulary as b on p.n > 1 and b.token_id = (p.gram // 4294967296) % 4294967296
left join vocabulary as c on p.n > 2 and c.token_id = (p.gram // 18446744073709551616) % 4294967296
left join vocabulary as d on p.n > 3 and d.token_id = p.gram // 79228162514264337593543950336
