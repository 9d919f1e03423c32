-- name: length_limit
-- version: 2
-- grain: unit of length
-- params: least_captions INTEGER, limit_share DOUBLE
-- reads: measure_count
-- returns: unit, length
--
-- The length at which a limit of characters, words, or tokens and punctuation marks cut captions. It is the greatest of
-- all (for characters, or one less), and at least 40 characters or 8 words. At least `least_captions` open captions have
-- it: half as many again as have each slightly smaller length, or `limit_share` of all. A twentieth of them ends with a
-- word that ends no sentence; for characters, in a letter, and three quarters have one length: captions of one form vary.
with length_of as (
    select
        is_open, is_broken, is_lettered, captions, unnest(['characters', 'words', 'tokens']) as unit,
        unnest([characters, words, tokens]) as length, unnest([5, 1, 1]) as near, unnest([1, 0, 0]) as slack,
        unnest([40, 8, 8]) as long
    from measure_count
),
counted as (
    select
        l.unit, m.length - l.slack as length, sum(l.captions) as captions,
        sum(if(l.is_open and l.length >= m.length - l.slack, l.captions, 0)) as at_limit,
        sum(if(l.is_open and l.length = m.length, l.captions, 0)) as at_most,
        sum(if(if(l.unit = 'characters', l.is_lettered, l.is_broken) and l.length >= m.length - l.slack, l.captions, 0)) as broken,
        sum(if(l.is_open and l.length between m.length - l.slack - l.near and m.length - l.slack - 1, l.captions, 0))
        * (l.slack + 1) / l.near as below
    from length_of as l
    join (select unit, max(length) as length from length_of group by unit) as m on m.unit = l.unit
    where m.length >= l.long
    group by l.unit, m.length, l.slack, l.near
)
select unit, length
from counted
where at_limit >= $least_captions::integer and broken >= at_limit / 20 and 4 * least(at_most, at_limit - at_most) <= at_limit
    and (at_limit >= 1.5 * below or at_limit >= $limit_share::double * captions)
