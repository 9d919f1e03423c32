-- name: cut_at_limit
-- version: 2
-- grain: caption
-- params: stopped_share DOUBLE, broken_share DOUBLE
-- reads: caption_measure, length_limit, long_captions
-- returns: image, slot, why
-- order: m.image, m.slot
-- merges: rows
--
-- Captions that a limit of characters or tokens cut. They have no final punctuation mark, and one of three signs.
-- 1. They are as long as a limit (relation length_limit).
-- 2. It stops in a later sentence, is in the longest tenth, and `stopped_share` of all end with a punctuation mark.
-- 3. `broken_share` of the longest tenth end with an article, “and”, “of” or “with”; so does it, in the longer half.
with near_limit as (
    select m.image, m.slot,
        arg_min(format('cut at {} {}, as many others', l.length, l.unit), (l.unit = 'tokens', l.unit)) as why
    from caption_measure as m
    join length_limit as l
        on case l.unit when 'characters' then m.characters when 'words' then m.words else m.tokens end >= l.length
    where m.is_open
    group by m.image, m.slot
)
select
    m.image, m.slot,
    case
        when l.why is not null then l.why
        when m.stops then 'stops within its last sentence, and is among the longest'
        else format('ends in “{}”, as {:.0f}% of the longest captions do with such a word', m.word, 100 * w.broken)
    end as why
from caption_measure as m
cross join long_captions as w
left join near_limit as l on l.image = m.image and l.slot = m.slot
where l.why is not null or m.is_open and m.stops and m.tokens >= w.tenth and w.stopped >= $stopped_share::double
    or m.is_broken and m.tokens >= w.half and w.broken >= $broken_share::double
order by m.image, m.slot
