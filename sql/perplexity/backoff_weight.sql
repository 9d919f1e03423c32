-- name: backoff_weight
-- version: 2
-- grain: history
-- reads: adjusted_count, discount
-- returns: n, history, total, passed_on
-- cites: Chen & Goodman 1999, section 2.7 and equation 25
--
-- For each history that a model has seen: the sum of the counts of the tokens after it, and the share that the
-- discounts take from them, which goes to the lower order.
select
    c.n, c.history,
    sum(c.adjusted)::double as total,
    (
        d.discounts[1] * count(*) filter (where c.adjusted = 1)
        + d.discounts[2] * count(*) filter (where c.adjusted = 2)
        + d.discounts[3] * count(*) filter (where c.adjusted > 2)
    ) / sum(c.adjusted)::double as passed_on
from adjusted_count as c
join discount as d on d.n = c.n
group by c.n, c.history, d.discounts
