-- name: near_word
-- version: 2
-- grain: word, frequent word
-- params: frequent INTEGER, times_as_frequent INTEGER
-- reads: word_caption_count, english_token, regular_form
-- returns: token_id, token, meant_id, meant, captions, is_long
-- cites: Damerau 1964 (one letter too many, too few, another one, or two exchanged)
--
-- Words that are neither English (relation english_token) nor a regular form of an English word (relation
-- regular_form), and one edit away from a frequent word. If more than two captions have the word, it must have six
-- letters or more, and the first of an English word. A frequent word has at least `frequent` captions and is
-- `times_as_frequent` times as frequent. A list of words has no inflections of words that it lacks: such an ending is
-- not a misspelling (“kayakers”), nor is “gettin”. Words one edit apart share a form with a letter removed.
with counted as (
    select
        token_id, token, captions,
        token_id in (from english_token union all select token_id from regular_form) as is_known
    from word_caption_count
),
formed as (
    select
        token_id, token, captions, is_known,
        unnest(list_distinct([token] || [token[:p - 1] || token[p + 1:] for p in range(1, length(token) + 1)])) as form
    from counted
    where not is_known or captions >= $frequent::integer
)
select distinct r.token_id, r.token, f.token_id as meant_id, f.token as meant, f.captions, length(r.token) >= 5 as is_long
from formed as r
join formed as f using (form)
where not r.is_known and f.captions >= $frequent::integer
    and (r.captions <= 2 or length(r.token) >= 6 and f.is_known and left(r.token, 1) = left(f.token, 1))
    and f.captions >= $times_as_frequent::integer * r.captions and damerau_levenshtein(r.token, f.token) = 1
    and f.token <> r.token || 'g' and (f.is_known or not starts_with(f.token, left(r.token, -2)))
