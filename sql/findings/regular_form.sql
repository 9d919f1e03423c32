-- name: regular_form
-- version: 2
-- grain: token
-- reads: vocabulary, english_token
-- returns: token_id
-- order: token_id
--
-- The tokens that are regular forms of an English word of the captions (relation english_token), which the list of words
-- lacks: “seater”, “foliaged”, “canoers”, “slushes”, “windowy”. Words of four letters or more count: shorter ones are too similar.
with known as (
    select v.token, right(v.token, 1) as final
    from english_token as k
    join vocabulary as v using (token_id)
    where length(v.token) >= 4 and regexp_matches(v.token, '^[a-z]+$')
),
ended as (
    select
        [token || 'y', if(final = 'e', token[:-2] || 'y', token || final || 'y')] || case
            when final = 'e' then [token || 'd', token || 'r', token || 'rs', token[:-2] || 'ing']
            when regexp_matches(token, '(ss|[xz]|[cs]h)$')
                then [token || 'es', token || 'ed', token || 'er', token || 'ers', token || 'ing']
            when final = 's' then []
            when regexp_matches(token, '[^aeiou][aeiou][bdfgklmnprtvz]$')
                then [token || final || e for e in ['ed', 'er', 'ers', 'ing']]
            else [token || e for e in ['ed', 'er', 'ers', 'ing']]
        end as forms
    from known
)
select distinct v.token_id
from ended as e, unnest(e.forms) as f (form)
join vocabulary as v on v.token = f.form
order by token_id
