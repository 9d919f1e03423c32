-- name: english_token
-- version: 1
-- grain: token
-- reads: text_tokens, vocabulary, english_word
-- returns: token_id
-- order: token_id
-- merges: distinct
--
-- The tokens of the captions that are English words (relation english_word), or the possessive of one. `bare` deletes
-- apostrophes, so “womans” can be “woman's”.
with used as (select distinct unnest(tokens) as token_id from text_tokens),
spelled as (
    select u.token_id, v.token, if(v.token like '%s', left(v.token, -1), v.token) as stem
    from used as u
    join vocabulary as v using (token_id)
)
select s.token_id from spelled as s semi join english_word as e on e.word = s.token
union
select s.token_id from spelled as s semi join english_word as e on e.word = s.stem
order by token_id
