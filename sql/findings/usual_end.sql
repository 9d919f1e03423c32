-- name: usual_end
-- version: 1
-- grain: last two words, size
-- reads: reference, caption, text_tokens
-- returns: before, word, size, times, ends, word_times, chance
-- order: e.before, e.word, e.size
--
-- How often a complete caption of `size` words ends with two words, without a full stop. Many words end captions only
-- where captions usually end: “a man” is usually an opening. So the `ends` of the two words are divided by the ends that
-- are expected at the places of their `times`. This is smoothed by the last word, as if four more ends were expected. The
-- ratio is multiplied by the share of captions that end at this place, and by the share of captions without a full stop.
-- Any caption can end early: the share is at least 0.02.
with worded as (
    select t.tokens, len(t.tokens) as size, not regexp_matches(c.text, '[.!?。！？…”"]\s*$') as is_open
    from reference as r
    join caption as c using (caption_id)
    join text_tokens as t using (caption_id)
    where len(t.tokens) >= 2
),
ended as (select size, count(*) / sum(count(*)) over (order by size desc) as share from worded group by size),
rate as (
    select p.place, greatest(0.02, arg_min(e.share, e.size))::decimal(9, 6) as share
    from (select unnest(range(2, max(size) + 1)) as place from worded) as p
    join ended as e on e.size >= p.place
    group by p.place
),
placed as (
    select w.tokens[r.place - 1] as before, w.tokens[r.place] as word, r.place = w.size as is_last, r.share
    from worded as w
    join rate as r on r.place <= w.size
),
per_word as (
    select word, count(*) as times, count_if(is_last) as ends, sum(share)::double as expected from placed group by word
),
per_pair as (
    select before, word, count(*) as times, count_if(is_last) as ends, sum(share)::double as expected
    from placed
    group by before, word
),
ending as (
    select distinct w.tokens[size - 1] as before, w.tokens[size] as word, w.size, r.share::double as share
    from worded as w
    join rate as r on r.place = w.size
    where w.is_open
),
whole as (select count_if(is_open) / count(*) as open_share from worded)
select
    e.before, e.word, e.size, p.times, p.ends, w.times as word_times,
    a.open_share * e.share * (p.ends - 1 + 4 * (w.ends - 0.9) / w.expected) / (p.expected - e.share + 4) as chance
from ending as e
cross join whole as a
join per_word as w on w.word = e.word
join per_pair as p on p.before = e.before and p.word = e.word
order by e.before, e.word, e.size
