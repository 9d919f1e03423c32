-- name: object_form
-- version: 1
-- grain: object and form of a synonym
-- reads: synonym, text_tokens, vocabulary
-- returns: object, first_token, tokens, words
--
-- The forms by which captions can mention an object: its synonyms, the last word also in the plural and with a
-- possessive s. Forms with words that no text in the store has are left out.
with named as materialized (
    select s.object, t.tokens, v.token as last_word
    from synonym as s
    join text_tokens as t on t.caption_id = s.caption_id
    join vocabulary as v on v.token_id = t.tokens[-1]
),
inflected as (
    select
        object, tokens,
        unnest([last_word, last_word || 's', plural_of(last_word), plural_of(last_word) || 's']) as last_word
    from named
),
form as (
    select distinct i.object, list_append(i.tokens[1:len(i.tokens) - 1], v.token_id) as tokens
    from inflected as i
    join vocabulary as v on v.token = i.last_word
),
placed as (select object, tokens, unnest(tokens) as token_id, generate_subscripts(tokens, 1) as place from form)
select p.object, p.tokens[1] as first_token, p.tokens, string_agg(v.token, ' ' order by p.place) as words
from placed as p
join vocabulary as v on v.token_id = p.token_id
group by p.object, p.tokens
