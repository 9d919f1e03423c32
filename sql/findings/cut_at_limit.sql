-- name: cut_at_limit
-- version: 2
-- grain: caption
-- params: least_captions INTEGER, limit_share DOUBLE, stopped_share DOUBLE, broken_share DOUBLE
-- reads: reference, caption, text_tokens, vocabulary
-- returns: image, slot, why
-- order: m.image, m.slot
--
-- Captions that a limit of characters or tokens cut. They have no final punctuation mark, and one of three signs.
-- 1. The length is the greatest of all, in characters (or one less), words, or tokens and punctuation marks, and at
--    least 40 characters or 8 words. At least `least_captions` such captions have it: half as many again as have each
--    slightly smaller length, or `limit_share` of all. A twentieth of them ends as in 3; for characters, in a letter.
-- 2. It stops in a later sentence, is in the longest tenth, and `stopped_share` of all end with a punctuation mark.
-- 3. `broken_share` of the longest tenth end with an article, “and”, “of” or “with”; so does it, in the longer half.
with measured as (
    select
        r.image, r.slot, v.token as word, length(rtrim(c.text)) as characters,
        len(if(regexp_matches(c.text, '[\t\n\f\r]|  '), string_split_regex(trim(c.text), '\s+'), string_split(trim(c.text), ' '))) as words,
        len(t.tokens) + length(regexp_replace(c.text, '[\p{L}\p{N}\s]+', '', 'g')) as tokens,
        not regexp_matches(c.text, '[^\p{L}\p{N}\s,;:&-]\s*$') as is_open, regexp_matches(c.text, '\p{L}\s*$') as is_lettered,
        case when is_open then regexp_matches(c.text, '\p{Ll}[.!?]["”]?\s+\S.*[\p{L}\p{N}\s,;:&-]$') end as stops,
        is_open and v.token in ('a', 'an', 'the', 'and', 'or', 'of', 'with', 'his', 'her', 'their', 'its') as is_broken
    from reference as r
    join caption as c using (caption_id)
    join text_tokens as t using (caption_id)
    join vocabulary as v on v.token_id = t.tokens[-1]
),
whole as (
    select median(tokens) as half, quantile_cont(tokens, 0.9) as tenth, avg((not is_open)::int) as stopped from measured
),
breaking as (
    select avg(m.is_broken::integer) as share from measured as m cross join whole as w where m.tokens >= w.tenth
),
length_of as (
    select
        is_open, is_broken, is_lettered, unnest(['characters', 'words', 'tokens']) as unit, unnest([characters, words, tokens]) as length,
        unnest([5, 1, 1]) as near, unnest([1, 0, 0]) as slack, unnest([40, 8, 8]) as long
    from measured
),
counted as (
    select
        l.unit, m.length - l.slack as length, count(*) as captions,
        count_if(l.is_open and l.length >= m.length - l.slack) as at_limit,
        count_if(if(l.unit = 'characters', l.is_lettered, l.is_broken) and l.length >= m.length - l.slack) as broken,
        count_if(l.is_open and l.length between m.length - l.slack - l.near and m.length - l.slack - 1)
        * (l.slack + 1) / l.near as below
    from length_of as l
    join (select unit, max(length) as length from length_of group by unit) as m on m.unit = l.unit
    where m.length >= l.long
    group by l.unit, m.length, l.slack, l.near
),
limit_of as (
    select unit, length
    from counted
    where at_limit >= $least_captions::integer and broken >= at_limit / 20
        and (at_limit >= 1.5 * below or at_limit >= $limit_share::double * captions)
),
near_limit as (
    select m.image, m.slot,
        arg_min(format('cut at {} {}, as many others', l.length, l.unit), (l.unit = 'tokens', l.unit)) as why
    from measured as m
    join limit_of as l
        on case l.unit when 'characters' then m.characters when 'words' then m.words else m.tokens end >= l.length
    where m.is_open
    group by m.image, m.slot
)
select
    m.image, m.slot,
    case
        when l.why is not null then l.why
        when m.stops then 'stops within its last sentence, and is among the longest'
        else format('ends in “{}”, as {:.0f}% of the longest captions do with such a word', m.word, 100 * b.share)
    end as why
from measured as m
cross join whole as w
cross join breaking as b
left join near_limit as l on l.image = m.image and l.slot = m.slot
where l.why is not null or m.is_open and m.stops and m.tokens >= w.tenth and w.stopped >= $stopped_share::double
    or m.is_broken and m.tokens >= w.half and b.share >= $broken_share::double
order by m.image, m.slot
