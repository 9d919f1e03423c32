-- name: kneser_ney
-- version: 2
-- grain: n-gram
-- reads: queried_ngram, adjusted_count, discount, backoff_weight
-- returns: n, gram, probability
-- cites: Kneser & Ney 1995; Chen & Goodman 1999, section 2.7: interpolated
--
-- The probability of the last token of each n-gram after the ones before it: its discounted count, and the share that
-- its history passes on, times the probability at the order below. Order 0 is uniform over the training tokens, </s>
-- and <unk>. An unseen history passes on everything; an unseen token is <unk> and has only the uniform share.
with recursive probability as (
    select 0 as n, 0::uhugeint as gram, 1.0::double / (types + 1) as probability
    from discount
    where n = 1
    union all
    select
        a.n, a.gram,
        coalesce((c.adjusted - d.discounts[least(c.adjusted, 3)]) / h.total, 0.0)
        + coalesce(h.passed_on, 1.0) * p.probability
    from probability as p
    join queried_ngram as a on a.n = p.n + 1 and a.lower_gram = p.gram
    left join discount as d on d.n = a.n
    left join adjusted_count as c on c.n = a.n and c.gram = a.gram
    left join backoff_weight as h on h.n = a.n and h.history = a.history
)
select n, gram, probability
from probability
