-- name: annotations
-- version: 1
-- grain: statistic
-- reads: reference, annotated
-- returns: statistic, value
-- order: position, statistic
--
-- Annotations of the selected captions; statistics without a value have no row. Chain 0 of Flickr30k Entities is for
-- phrases without a visible referent. A pair or triplet is tied if both sides have the same votes.
with noted as (
    select a.image, a.slot, a.phrases, a.judgements, a.pair, a.triplet, a.occurrences
    from annotated as a
    semi join reference as r on r.image = a.image and r.slot = a.slot
),
phrase as (select image, unnest(phrases, recursive := true) from noted),
chain as (select chain, count(distinct image) as images from phrase where chain <> '0' group by chain),
judgement as (select image, slot, unnest(judgements, recursive := true) from noted),
side as (
    select 'pairs' as kind, (pair).pair as number, (pair).votes as votes from noted where pair is not null
    union all
    select 'triplets', (triplet).triplet, (triplet).votes from noted where triplet is not null
),
contest as (
    select kind, number, sum(votes) as votes, count(votes) > 1 and min(votes) = max(votes) as is_tied
    from side
    group by kind, number
),
listed (position, statistic, value) as (
    select 1, 'phrases', count(*) from phrase
    union all select 2, 'phrases-not-visual', count(*) filter (where chain = '0') from phrase
    union all select 3, 'phrases-of-several-types', count(*) filter (where len(types) > 1) from phrase
    union all select 4, 'chains', sum(images) from chain
    union all select 5, 'chain-numbers-on-several-images', count(*) filter (where images > 1) from chain
    union all select 6, 'judged-captions', count(distinct (image, slot)) from judgement
    union all select 7, 'judges', count(distinct judge) from judgement
    union all select 8, 'judgements', count(*) from judgement
    union all select 9, 'votes-per-judgement-min', min(votes) from judgement
    union all select 10, 'votes-per-judgement-max', max(votes) from judgement
    union all select 11, kind, count(*) from contest group by kind
    union all select 12, kind || '-tied', count(*) filter (where is_tied) from contest group by kind
    union all select 13, kind || '-votes-min', min(votes) from contest group by kind
    union all select 14, kind || '-votes-max', max(votes) from contest group by kind
    union all select 15, 'words-with-counts', count(occurrences) from noted
    union all select 16, 'occurrences', sum(occurrences) from noted
)
select statistic, value::double as value
from listed
where value > 0 or (value = 0 and statistic like '%-tied')
order by position, statistic
