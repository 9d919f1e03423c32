-- name: word_fragment
-- version: 3
-- grain: last two words
-- params: is_english BOOLEAN
-- reads: end_pair, vocabulary, english_token
-- returns: before, word, meant, is_sure
-- order: f.before, f.word
--
-- Last words of captions without a full stop that are probably the beginning of `meant`, a frequent word (“… a woma”).
-- The fragment is a whole word of the text (“t.v” is not), and occurs nowhere else inside a caption. A fragment that is a
-- word itself must be rare, `meant` usual after the word before, and more than its inflection: “it” is not cut from
-- “its”. Then it is not sure, nor is it if only the last letter is missing, as in a misspelling (“frisbe”). A plural has
-- its singular beside it (“tshirt”). Without a list of words (`is_english` is false), every last word counts as a word.
with per_word as (select word, sum(times) as times, sum(breaks) as breaks from end_pair group by word),
frequent as (
    select w.word, w.times, v.token
    from per_word as w
    join vocabulary as v on v.token_id = w.word
    where w.times >= 10
),
fragment as (
    select e.before, e.word, v.token, not $is_english::boolean or l.token_id is not null as is_word
    from (select before, word from end_pair where breaks > 0) as e
    join per_word as w on w.word = e.word
    join vocabulary as v on v.token_id = e.word
    left join english_token as l on l.token_id = e.word
    where regexp_matches(v.token, '^\p{L}+$')
        and if(not $is_english::boolean or l.token_id is not null, w.times <= 2, w.times - w.breaks <= 1)
)
select
    f.before, f.word, first(q.token order by coalesce(u.times, 0) desc, q.times desc, q.token) as meant,
    not any_value(f.is_word) and length(meant) > length(any_value(f.token)) + 1 as is_sure
from fragment as f
join frequent as q on starts_with(q.token, f.token) and q.token <> f.token
left join end_pair as u on u.before = f.before and u.word = q.word and u.times >= 2
where not f.is_word and q.token <> f.token || 's'
    or u.times is not null and not regexp_matches(q.token[length(f.token) + 1:], '^(.?(ed|er|en|ing|y)|e?[sdrn]|em?)$')
group by f.before, f.word
order by f.before, f.word
