-- name: truncated
-- version: 6
-- grain: caption
-- params: is_english BOOLEAN
-- reads: reference, caption, text_tokens, vocabulary, usual_end, word_fragment
-- returns: image, slot, chance, words, why
-- order: e.image, e.slot
--
-- Captions without a full stop, and the chance that a complete caption ends there with the same words (relation
-- usual_end). It is at least 1 in 2,000: any noun can end a caption, and many particles can (“the ball rolls in”). It is
-- exactly that if the last word may be the beginning of a frequent word (relation word_fragment). `words` counts the
-- words of all captions. The chance is 0 in three cases. The last word is surely such a beginning. It is an article, a
-- conjunction, a possessive or “of”, after which English goes on. Or the caption is as long as the longest in
-- characters, and far more captions have this length than a slightly shorter one, as after a length limit. The chance
-- is 1 if the last word occurs fewer than ten times: too few to know.
with worded as (
    select
        r.image, r.slot, t.tokens, len(t.tokens) as size, length(c.text) as characters,
        not regexp_matches(c.text, '[.!?。！？…”"+*=~]\s*$') as is_open
    from reference as r
    join caption as c using (caption_id)
    join text_tokens as t using (caption_id)
    where len(t.tokens) >= 2
),
whole as (select sum(size)::bigint as words, max(characters) as longest from worded),
at_limit as (
    select w.longest
    from whole as w
    cross join worded as o
    group by w.longest
    having count_if(o.characters = w.longest and o.is_open) >= 10
        and count_if(o.characters = w.longest) >= 2 * count_if(o.characters between w.longest - 5 and w.longest - 1)
),
ending as (
    select image, slot, characters, size, tokens[size - 1] as before, tokens[size] as word from worded where is_open
)
select
    e.image, e.slot,
    case
        when m.longest is not null or k.is_sure then 0.0
        when $is_english::boolean and l.token in ('a', 'an', 'the', 'and', 'or', 'of', 'my', 'your', 'its', 'our', 'their')
            then 0.0
        when k.meant is not null then 0.0005
        when u.word_times < 10 then 1.0
        else greatest(0.0005, u.chance)
    end as chance,
    a.words,
    case
        when m.longest is not null then format('{} characters, as many have and none more', m.longest)
        when k.meant is not null then format('ends in “{}”, perhaps cut from “{}”', l.token, k.meant)
        when u.times = u.ends then format('ends in “{}”', l.token)
        else format('ends in “{} {}”; {} of {} captions continue after it', b.token, l.token, u.times - u.ends, u.times)
    end as why
from ending as e
cross join whole as a
join usual_end as u on u.before = e.before and u.word = e.word and u.size = e.size
join vocabulary as l on l.token_id = e.word
join vocabulary as b on b.token_id = e.before
left join word_fragment as k on k.before = e.before and k.word = e.word
left join at_limit as m on m.longest = e.characters
order by e.image, e.slot
