-- name: truncated_end
-- version: 2
-- grain: last two words, size
-- params: is_english BOOLEAN
-- reads: open_end, usual_end, word_fragment, character_limit, vocabulary
-- returns: before, word, size, is_at_limit, captions, chance, words, is_told, why
-- order: e.before, e.word, e.size, e.is_at_limit
--
-- The open ends of captions, and the chance that a complete caption ends there with the same words (relation
-- usual_end). It is at least 1 in 2,000: any noun can end a caption, and many particles can (“the ball rolls in”). It is
-- exactly that if the last word may be the beginning of a frequent word (relation word_fragment). `words` counts the
-- words of all captions. The chance is 0 in three cases. The last word is surely such a beginning. It is an article, a
-- conjunction, a possessive or “of”, after which English goes on. Or the captions are as long as a limit of characters.
-- The chance is 1 if the last word occurs fewer than ten times: too few to know. `is_told`: such an end may be listed, which an
-- English noun, adjective or particle is not: it also ends captions where few others do.
select
    e.before, e.word, e.size, e.is_at_limit, e.captions,
    case
        when e.is_at_limit or k.is_sure then 0.0
        when $is_english::boolean and l.token in ('a', 'an', 'the', 'and', 'or', 'of', 'my', 'your', 'its', 'our', 'their')
            then 0.0
        when k.meant is not null then 0.0005
        when u.word_times < 10 then 1.0
        else greatest(0.0005, u.chance)
    end as chance,
    m.words,
    e.is_at_limit or k.meant is not null or not $is_english::boolean or list_contains(leads_on(), l.token) as is_told,
    case
        when e.is_at_limit then format('{} characters, as many have and none more', m.longest)
        when k.meant is not null then format('ends in “{}”, perhaps cut from “{}”', l.token, k.meant)
        when u.times = u.ends then format('ends in “{}”', l.token)
        else format('ends in “{} {}”; {} of {} captions continue after it', b.token, l.token, u.times - u.ends, u.times)
    end as why
from open_end as e
cross join character_limit as m
join usual_end as u on u.before = e.before and u.word = e.word and u.size = e.size
join vocabulary as l on l.token_id = e.word
join vocabulary as b on b.token_id = e.before
left join word_fragment as k on k.before = e.before and k.word = e.word
order by e.before, e.word, e.size, e.is_at_limit
