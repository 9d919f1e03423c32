-- name: long_captions
-- version: 1
-- grain: selection
-- reads: measure_count
-- returns: half, tenth, stopped, broken
--
-- The median length and the length of the longest tenth of the captions, in tokens and punctuation marks. The share of
-- all that end with a punctuation mark (`stopped`), and of the longest tenth that end with a word that ends no sentence.
with upto as (select tokens, sum(sum(captions)) over (order by tokens) as upto from measure_count group by tokens),
place as (select share, share * (max(upto) - 1) as place from upto, unnest([0.5, 0.9]) as s (share) group by share),
quantile as (
    select
        p.share, min(u.tokens) filter (where u.upto > floor(p.place)) as low,
        min(u.tokens) filter (where u.upto > ceil(p.place)) as high, any_value(p.place - floor(p.place)) as beyond
    from place as p
    cross join upto as u
    group by p.share
),
at_share as (
    select
        max(low + (high - low) * beyond) filter (where share < 0.7) as half,
        max(low + (high - low) * beyond) filter (where share > 0.7) as tenth
    from quantile
)
select
    any_value(a.half) as half, any_value(a.tenth) as tenth,
    sum(if(m.is_open, 0, m.captions)) / sum(m.captions) as stopped,
    sum(if(m.is_broken, m.captions, 0)) filter (where m.tokens >= a.tenth) / sum(m.captions) filter (where m.tokens >= a.tenth) as broken
from measure_count as m
cross join at_share as a
