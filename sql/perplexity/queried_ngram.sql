-- name: queried_ngram
-- version: 1
-- grain: n-gram
-- params: order INTEGER
-- reads: sentence_ngram
-- returns: n, gram, lower_gram, history
--
-- The n-grams of all orders whose probability is needed: those of every test side, each once, and the shorter ones for
-- backoff. `history` is the n-gram without its last token, `lower_gram` without its first.
with asked as (select distinct gram from sentence_ngram where side = 'test'),
suffix as (
    select distinct o.n, last_tokens(a.gram, o.n) as gram
    from asked as a
    cross join (select unnest(range(1, $order::integer + 1))::integer as n) as o
)
select n, gram, last_tokens(gram, n - 1) as lower_gram, history_of(gram) as history
from suffix
