-- name: usual_end
-- version: 1
-- grain: last two words, size
-- reads: open_end, end_pair, end_rate
-- returns: before, word, size, times, ends, word_times, chance
-- order: e.before, e.word, e.size
--
-- How often a complete caption of `size` words ends with two words, without a full stop. Many words end captions only
-- where captions usually end: “a man” is usually an opening. So the `ends` of the two words are divided by the ends that
-- are expected at the places of their `times`. This is smoothed by the last word, as if four more ends were expected. The
-- ratio is multiplied by the share of captions that end at this place, and by the share of captions without a full stop.
with per_word as (
    select word, sum(times)::bigint as times, sum(ends)::bigint as ends, sum(expected)::bigint / 1e6 as expected
    from end_pair
    group by word
),
ending as (
    select e.before, e.word, e.size, any_value(r.millionths) / 1e6 as share, any_value(r.open_share) as open_share
    from open_end as e
    join end_rate as r on r.place = e.size
    group by e.before, e.word, e.size
)
select
    e.before, e.word, e.size, p.times, p.ends, w.times as word_times,
    e.open_share * e.share * (p.ends - 1 + 4 * (w.ends - 0.9) / w.expected) / (p.expected / 1e6 - e.share + 4) as chance
from ending as e
join per_word as w on w.word = e.word
join end_pair as p on p.before = e.before and p.word = e.word
order by e.before, e.word, e.size
