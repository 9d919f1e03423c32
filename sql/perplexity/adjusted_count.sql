-- name: adjusted_count
-- version: 1
-- grain: n-gram
-- params: trained_no UINTEGER, order INTEGER
-- reads: sentence_ngram
-- returns: n, gram, history, adjusted
-- cites: Kneser & Ney 1995; Chen & Goodman 1999, section 2.7
--
-- What stands for the count of an n-gram in a model: of the highest order, how often it occurs; of the lower ones, how
-- many different tokens stand before it, <s> among them. Every n-gram that ends in a predicted token has one before
-- it, and so the longer n-grams that end alike are counted.
with trained as (
    select gram, occurrences from sentence_ngram where selection_no = $trained_no::uinteger and side = 'train'
),
suffix as (
    select distinct o.n, last_tokens(t.gram, o.n) as gram
    from trained as t
    cross join (select unnest(range(2, $order::integer + 1))::integer as n) as o
),
lower_order as (
    select n - 1 as n, last_tokens(gram, n - 1) as gram, count(*) as adjusted
    from suffix
    group by all
),
every_order as (
    select n, gram, adjusted from lower_order
    union all
    select $order::integer, gram, occurrences from trained
)
select n, gram, history_of(gram) as history, adjusted
from every_order
