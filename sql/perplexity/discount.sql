-- name: discount
-- version: 1
-- grain: n-gram order
-- reads: adjusted_count
-- returns: n, types, once, twice, discount
-- order: n
-- cites: Ney, Essen & Kneser 1994; Chen & Goodman 1999, section 2.6: D = n1 / (n1 + 2 n2)
--
-- What is taken from each count of an order, from how many n-grams have a count of 1 and of 2. Without the one or the
-- other D would be 0, 1 or nothing: 0 leaves unseen n-grams without probability, 1 forgets all that was seen once.
-- One half stands in.
with counted as (
    select
        n,
        count(*) as types,
        count(*) filter (where adjusted = 1) as once,
        count(*) filter (where adjusted = 2) as twice
    from adjusted_count
    group by n
)
select
    n,
    types,
    once,
    twice,
    case when once > 0 and twice > 0 then once::double / (once + 2 * twice) else 0.5 end as discount
from counted
order by n
