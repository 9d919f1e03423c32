-- name: long_captions
-- version: 1
-- grain: selection
-- reads: measure_count
-- returns: half, tenth, stopped, broken
--
-- The median length and the length of the longest tenth of the captions, in tokens and punctuation marks. The share of
-- all that end with a punctuation mark (`stopped`), and of the longest tenth that end with a word that ends no sentence.
with counted as (
    select list(tokens order by tokens) as lengths, list(upto order by tokens) as upto
    from (select tokens, sum(sum(captions)) over (order by tokens) as upto from measure_count group by tokens)
),
at_share as (select quantile_of(lengths, upto, 0.5) as half, quantile_of(lengths, upto, 0.9) as tenth from counted)
select
    any_value(a.half) as half, any_value(a.tenth) as tenth,
    sum(if(m.is_open, 0, m.captions)) / sum(m.captions) as stopped,
    sum(if(m.is_broken, m.captions, 0)) filter (where m.tokens >= a.tenth) / sum(m.captions) filter (where m.tokens >= a.tenth) as broken
from measure_count as m
cross join at_share as a
