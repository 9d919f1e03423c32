-- name: length_drift
-- version: 1
-- grain: statistic
-- reads: reference_of_side
-- returns: statistic, a, b, difference
-- order: position
-- cites: van Miltenburg et al. 2018 (asl, sdsl); total variation distance: half the sum of |p(length) - q(length)|
--
-- Lengths of captions in tokens on two sides, and their differences: `difference` is b minus a; for the last statistic,
-- the total variation distance of the lengths. Sums are of integers, so the order of threads does not change a digit.
with caption as (select side, length::bigint as length from reference_of_side),
summary as (
    select
        side, count(*) as captions, sum(length) as tokens, sum(length * length) as squares,
        min(length) as shortest, max(length) as longest,
        quantile_cont(length, 0.5) as median, quantile_cont(length, 0.9) as p90,
        count(*) filter (where length = 1) as one_word
    from caption
    group by side
),
listed as (
    select side, unnest([
        {'position': 1, 'statistic': 'captions', 'value': captions::double},
        {'position': 2, 'statistic': 'asl', 'value': tokens / captions},
        {'position': 3, 'statistic': 'sdsl', 'value': sqrt((captions * squares - tokens * tokens)::double) / captions},
        {'position': 4, 'statistic': 'length-min', 'value': shortest::double},
        {'position': 5, 'statistic': 'length-median', 'value': median},
        {'position': 6, 'statistic': 'length-p90', 'value': p90},
        {'position': 7, 'statistic': 'length-max', 'value': longest::double},
        {'position': 8, 'statistic': 'captions-of-one-word', 'value': one_word::double}
    ], recursive := true)
    from summary
),
side_by_side as (
    select position, statistic, max(value) filter (where side = 'a') as a, max(value) filter (where side = 'b') as b
    from listed
    group by position, statistic
),
whole as (
    select count(*) filter (where side = 'a') as captions_a, count(*) filter (where side = 'b') as captions_b
    from caption
),
by_length as (
    select
        length,
        count(*) filter (where side = 'a')::hugeint as captions_a,
        count(*) filter (where side = 'b')::hugeint as captions_b
    from caption
    group by length
),
moved as (
    select
        sum(abs(l.captions_a * w.captions_b - l.captions_b * w.captions_a))::double
        / any_value(2 * w.captions_a * w.captions_b)::double as share
    from by_length as l
    cross join whole as w
)
select statistic, a, b, difference
from (
    select position, statistic, a, b, b - a as difference from side_by_side
    union all
    select 9, 'length-distribution-moved', null, null, share from moved
)
order by position
