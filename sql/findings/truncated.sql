-- name: truncated
-- version: 1
-- grain: caption
-- params: seldom DOUBLE, often INTEGER
-- reads: reference, caption, text_tokens, vocabulary
-- returns: image, slot, why
--
-- Captions that end where captions go on: in one or two words that come `often` or more and are the last of at most
-- `seldom` of the captions that hold them (“… in front of the”), the caption itself not counted; or in a rare word that a
-- frequent one begins with, behind words where that goes on (“… a woma”). A caption that ends in a full stop is whole.
with worded as (
    select
        r.image, r.slot, t.tokens, len(t.tokens) as size,
        regexp_matches(c.text, '[.!?。！？…”"]\s*$') as closed
    from reference as r
    join caption as c using (caption_id)
    join text_tokens as t using (caption_id)
    where len(t.tokens) >= 2
),
placed as (
    select
        if(p.place > 1, tokens[p.place - 1], 0) as before, tokens[p.place] as word, p.place = size as is_last
    from worded, unnest(range(1, size + 1)) as p (place)
),
per_word as (
    select word, count(*) as times, count_if(is_last) as ends from placed group by word
),
per_pair as (
    select before, word, count(*) as times, count_if(is_last) as ends
    from placed
    group by before, word
    having count(*) >= $often::integer
),
ending as (
    select image, slot, tokens[size - 1] as before, tokens[size] as word
    from worded
    where not closed
),
weighed as (
    select
        e.image, e.slot, e.before, e.word,
        w.times >= $often::integer and w.ends - 1 <= $seldom::double * (w.times - 1) as by_word,
        coalesce(p.ends - 1 <= $seldom::double * (p.times - 1), false) as by_pair,
        w.times, w.ends, p.times as pair_times, p.ends as pair_ends
    from ending as e
    join per_word as w on w.word = e.word
    left join per_pair as p on p.before = e.before and p.word = e.word
)
select
    d.image, d.slot,
    if(
        d.by_word,
        format('ends in “{}”, as {} of {} captions with it do', v.token, d.ends, d.times),
        format('ends in “{} {}”, as {} of {} captions with it do', b.token, v.token, d.pair_ends, d.pair_times)
    ) as why
from weighed as d
join vocabulary as v on v.token_id = d.word
join vocabulary as b on b.token_id = d.before
where d.by_word or d.by_pair
order by d.image, d.slot
