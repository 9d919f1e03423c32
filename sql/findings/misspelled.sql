-- name: misspelled
-- version: 1
-- grain: caption, word
-- params: frequent INTEGER, times_as_frequent INTEGER
-- reads: reference, text_tokens, vocabulary, known_elsewhere
-- returns: image, slot, why
-- cites: Damerau 1964 (one letter too many, too few, another one, or two exchanged)
--
-- Captions with a word that no other dataset has (relation known_elsewhere), that at most two captions hold, and that is
-- one edit away from a frequent word, of `frequent` captions and so many times as many as its own. Words of five letters
-- and more, of letters alone; not those that only end otherwise ("kayaker", "kayakers") or begin with another letter
-- ("Nike", "Mike"). Two words can only be one edit apart if they share a form with one letter left out.
with said as (
    select caption_id, unnest(list_distinct(tokens)) as token_id from text_tokens
),
counted as (
    select v.token_id, v.token, count(*) as captions
    from reference as r
    join said as s using (caption_id)
    join vocabulary as v using (token_id)
    where length(v.token) >= 4 and regexp_matches(v.token, '^\p{L}+$')
    group by v.token_id, v.token
),
rare as (
    select c.token_id, c.token, c.captions
    from counted as c
    anti join known_elsewhere as k on k.token_id = c.token_id
    where c.captions <= 2 and length(c.token) >= 5
),
frequent as (select token, captions from counted where captions >= $frequent::integer),
shortened as (
    select token_id, token, captions, token[:place - 1] || token[place + 1:] as form
    from rare, unnest(range(1, length(token) + 1)) as p (place)
    union all
    select token_id, token, captions, token as form from rare
),
frequent_form as (
    select token, captions, token[:place - 1] || token[place + 1:] as form
    from frequent, unnest(range(1, length(token) + 1)) as p (place)
    union all
    select token, captions, token as form from frequent
),
meant as (
    select s.token_id, s.token, f.token as meant, f.captions
    from shortened as s
    join frequent_form as f using (form)
    where f.captions >= $times_as_frequent::integer * s.captions
        and s.token[1] = f.token[1]
        and damerau_levenshtein(s.token, f.token) = 1
        and regexp_replace(s.token, '.{1,2}$', '') <> regexp_replace(f.token, '.{1,2}$', '')
        and not starts_with(s.token, f.token) and not starts_with(f.token, s.token)
    qualify row_number() over (partition by s.token_id order by f.captions desc, f.token) = 1
)
select r.image, r.slot, format('“{}”, perhaps “{}”', m.token, m.meant) as why
from meant as m
join said as s using (token_id)
join reference as r using (caption_id)
order by r.image, r.slot, why
