-- name: cut_at_limit
-- version: 1
-- grain: caption
-- params: least_captions INTEGER, stopped_share DOUBLE, broken_share DOUBLE
-- reads: reference, caption, text_tokens, vocabulary
-- returns: image, slot, why
-- order: m.image, m.slot
--
-- Captions that a limit of characters or tokens cut. They have no final punctuation mark, and one of three signs.
-- 1. The length is the greatest of all, in characters (or one less), words, or tokens and punctuation marks. At least
--    `least_captions` such captions have it, half as many again as captions have each slightly smaller length.
-- 2. The caption stops in its second or a later sentence and is among the longest tenth, although at least
--    `stopped_share` of the captions end with a punctuation mark.
-- 3. Of the longest tenth, at least `broken_share` end with an article, “and”, “of” or “with”. The caption does, too,
--    and is in the longer half.
with measured as (
    select
        r.image, r.slot, v.token as word, length(rtrim(c.text)) as characters, len(string_split_regex(trim(c.text), '\s+')) as words,
        len(t.tokens) + len(regexp_extract_all(c.text, '[^\p{L}\p{N}\s]')) as tokens,
        not regexp_matches(c.text, '[^\p{L}\p{N}\s,;:&-]\s*$') as is_open,
        regexp_matches(c.text, '\p{Ll}[.!?]["”]?\s+\S.*[\p{L}\p{N}\s,;:&-]$') as stops
    from reference as r
    join caption as c using (caption_id)
    join text_tokens as t using (caption_id)
    join vocabulary as v on v.token_id = t.tokens[-1]
),
ended as (
    select *, is_open and word in ('a', 'an', 'the', 'and', 'or', 'of', 'with', 'his', 'her', 'their', 'its') as is_broken
    from measured
),
whole as (
    select quantile_cont(tokens, 0.5) as half, quantile_cont(tokens, 0.9) as tenth, avg((not is_open)::integer) as stopped from ended
),
breaking as (
    select avg(e.is_broken::integer) as share from ended as e cross join whole as w where e.tokens >= w.tenth
),
length_of as (
    select
        is_open, unnest(['characters', 'words', 'tokens']) as unit, unnest([characters, words, tokens]) as length,
        unnest([5, 1, 1]) as near, unnest([1, 0, 0]) as slack
    from measured
),
longest as (select unit, near, slack, max(length) as length from length_of group by unit, near, slack),
at_limit as (
    select m.unit, m.length, m.slack
    from longest as m
    join length_of as l on l.unit = m.unit
    group by m.unit, m.length, m.slack, m.near
    having count_if(l.is_open and l.length >= m.length - m.slack) >= greatest(
        $least_captions::integer,
        1.5 * (m.slack + 1) / m.near
        * count_if(l.length < m.length - m.slack and l.length >= m.length - m.slack - m.near)
    )
),
limit_of as (
    select
        max(length - slack) filter (unit = 'characters') as characters, max(length) filter (unit = 'words') as words,
        max(length) filter (unit = 'tokens') as tokens
    from at_limit
)
select
    m.image, m.slot,
    case
        when m.characters >= l.characters then format('cut at {} characters, as many others', m.characters)
        when m.words >= l.words then format('cut at {} words, as many others', m.words)
        when m.tokens >= l.tokens then format('cut at {} tokens, as many others', m.tokens)
        when m.stops then 'stops within its last sentence, and is among the longest'
        else format('ends in “{}”, as {:.0f}% of the longest captions do with such a word', m.word, 100 * b.share)
    end as why
from ended as m
cross join whole as w
cross join breaking as b
cross join limit_of as l
where m.is_open
    and (
        coalesce(m.characters >= l.characters, false) or coalesce(m.words >= l.words, false) or coalesce(m.tokens >= l.tokens, false)
        or m.stops and m.tokens >= w.tenth and w.stopped >= $stopped_share::double
        or m.is_broken and m.tokens >= w.half and b.share >= $broken_share::double
    )
order by m.image, m.slot
