-- name: divergence
-- version: 1
-- grain: kind of n-gram
-- reads: gram_of_side
-- returns: kind, occurrences_a, occurrences_b, types_a, types_b, divergence, new_types, gone_types, new_occurrences, gone_occurrences
-- order: kind
-- cites: Lin 1991, eq. 4.1 (Jensen-Shannon divergence, equal weights, base 2: 0 for equal shares, 1 for nothing in common)
--
-- How much the shares of words, bigrams and openings changed from one side to the other, and how many are new or gone.
-- Sums are of integers, in units of 2^-60, so the order of threads does not change a digit.
with size as (
    select
        kind,
        sum(occurrences) filter (where side = 'a') as whole_a,
        sum(occurrences) filter (where side = 'b') as whole_b
    from gram_of_side
    group by kind
),
counted as (
    select
        kind,
        coalesce(sum(occurrences) filter (where side = 'a'), 0)::bigint as occurrences_a,
        coalesce(sum(occurrences) filter (where side = 'b'), 0)::bigint as occurrences_b
    from gram_of_side
    group by kind, gram
),
shared as (
    select
        c.kind, c.occurrences_a, c.occurrences_b,
        c.occurrences_a::double / s.whole_a as p, c.occurrences_b::double / s.whole_b as q
    from counted as c
    join size as s using (kind)
),
weighed as (
    select
        kind, occurrences_a, occurrences_b,
        case when p > 0 then p * log2(2 * p / (p + q)) else 0 end + case when q > 0 then q * log2(2 * q / (p + q)) else 0 end as bits
    from shared
)
select
    kind,
    sum(occurrences_a)::bigint as occurrences_a, sum(occurrences_b)::bigint as occurrences_b,
    count(*) filter (where occurrences_a > 0) as types_a, count(*) filter (where occurrences_b > 0) as types_b,
    case
        when sum(occurrences_a) > 0 and sum(occurrences_b) > 0
            then sum((bits * share_scale())::hugeint)::double / (2 * share_scale())
    end as divergence,
    count(*) filter (where occurrences_a = 0) as new_types, count(*) filter (where occurrences_b = 0) as gone_types,
    coalesce(sum(occurrences_b) filter (where occurrences_a = 0), 0)::bigint as new_occurrences,
    coalesce(sum(occurrences_a) filter (where occurrences_b = 0), 0)::bigint as gone_occurrences
from weighed
group by kind
order by kind
