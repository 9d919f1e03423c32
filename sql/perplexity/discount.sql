-- name: discount
-- version: 3
-- grain: n-gram order
-- params: modified BOOLEAN
-- reads: adjusted_count
-- returns: n, types, estimated, discounts
-- order: n
-- cites: Ney, Essen & Kneser 1994; Chen & Goodman 1999, section 2.6 and equation 26
--
-- The discount of each count of an order: 1, 2, and 3 or more. D = n1 / (n1 + 2 n2), where n1 n-grams have a count of
-- 1; a `modified` model takes c - (c + 1) D n(c+1) / nc from a count c, the other takes D from each. Small data may
-- have no n-gram of some count, or a discount below 0. Then 0.5, 1 and 1.5 are used, as in KenLM (lmplz
-- --discount_fallback), and 0.5 in the other model if D is 0, 1 or undefined. They also replace a discount of exactly
-- 0, with which KenLM gives unseen tokens no probability and a text infinite perplexity.
with counted as (
    select
        n,
        count(*) as types,
        count(*) filter (where adjusted = 1)::double as n1,
        count(*) filter (where adjusted = 2)::double as n2,
        count(*) filter (where adjusted = 3)::double as n3,
        count(*) filter (where adjusted = 4)::double as n4
    from adjusted_count
    group by n
),
formula as (
    select
        n, types,
        n1 > 0 and n2 > 0 and (not $modified::boolean or n3 > 0) as possible,
        n1 / (n1 + 2 * n2) as d,
        case
            when $modified::boolean then [d, 2 - 3 * d * n3 / n2, 3 - 4 * d * n4 / n3] else [d, d, d]
        end as discounts
    from counted
)
select
    n, types,
    possible and list_min(discounts) > 0 as estimated,
    case
        when estimated then discounts
        when $modified::boolean then [0.5, 1.0, 1.5]
        else [0.5, 0.5, 0.5]
    end::double[] as discounts
from formula
order by n
