-- name: misspelled
-- version: 5
-- grain: caption, word
-- params: frequent INTEGER, times_as_frequent INTEGER
-- reads: reference, caption, text_tokens, vocabulary, english_token, regular_form
-- returns: image, slot, why
-- order: image, slot, why
-- cites: Damerau 1964 (one letter too many, too few, another one, or two exchanged)
--
-- Captions with a word that is neither English (relation english_token) nor a regular form of an English word (relation
-- regular_form), that at most two captions have, and that is one edit away from a frequent word. A frequent word has at
-- least `frequent` captions and is `times_as_frequent` times as frequent. Only words of letters count, and not those that
-- a caption quotes, ends with an apostrophe (“doesn ' t”), has in a URL, beside “$” or twice with a change
-- (“crinkling-crankling”), or writes as a name: in capitals, or with one inside a sentence, after a title, or before
-- another. Of words of three or four letters, many are names or abbreviations. They count if the frequent word occurs at
-- least three times after the word before, and before the word after. A list of words has no inflections of words that
-- it lacks: such an ending is not a misspelling (“kayakers”), nor is “gettin”. Two words can only be one edit apart if
-- they share a form with one letter removed.
with copy as (
    select t.caption_id, t.tokens, c.copies from text_tokens as t
    join (select caption_id, count(*) as copies from reference group by caption_id) as c using (caption_id)
),
held as (select copies, unnest(list_distinct(tokens)) as token_id from copy),
counted as (
    select v.token_id, v.token, h.captions,
        v.token_id in (from english_token union all select token_id from regular_form) as is_known
    from (select token_id, sum(copies)::bigint as captions from held group by token_id) as h
    join vocabulary as v using (token_id)
    where length(v.token) >= 3 and regexp_matches(v.token, '^\p{L}+$')
),
formed as (
    select
        token_id, token, captions, is_known,
        unnest(list_distinct([token] || [token[:p - 1] || token[p + 1:] for p in range(1, length(token) + 1)])) as form
    from counted
    where captions <= 2 and not is_known or captions >= $frequent::integer
),
near_word as (
    select distinct r.token_id, r.token, f.token_id as meant_id, f.token as meant, f.captions, length(r.token) >= 5 as is_long
    from formed as r
    join formed as f using (form)
    where r.captions <= 2 and not r.is_known and f.captions >= $frequent::integer
        and f.captions >= $times_as_frequent::integer * r.captions and damerau_levenshtein(r.token, f.token) = 1
        and f.token <> r.token || 'g' and (f.is_known or not starts_with(f.token, left(r.token, -2)))
),
every as (
    select caption_id, copies, unnest(tokens) as token_id, unnest(list_prepend(0, tokens[:-2])) as before,
        unnest(list_append(tokens[2:], 0)) as behind
    from copy
),
wanted as (select unnest([token_id, meant_id]) as token_id from near_word),
placed as materialized (from every semi join wanted using (token_id)),
usual_before as (select before, token_id, sum(copies)::bigint as times from placed group by all having times >= 3),
usual_behind as (select behind, token_id, sum(copies)::bigint as times from placed group by all having times >= 3),
flagged as (
    select r.image, r.slot, a.token, a.meant, a.captions, coalesce(b.times * h.times, 0) as fit
    from placed as p
    join near_word as a using (token_id)
    join reference as r on r.caption_id = p.caption_id
    join caption as c on c.caption_id = p.caption_id
    left join usual_before as b on b.before = p.before and b.token_id = a.meant_id
    left join usual_behind as h on h.behind = p.behind and h.token_id = a.meant_id
    where (a.is_long or b.times is not null and h.times is not null)
        and not regexp_matches(
            c.text, format(
                '([^\s.!?:"“(] ["“(]?|\w[-/]|\b(?:[A-Z]|Dr|Mrs?|Ms|St)\. ){0}\b|^\W*{0} [A-Z][a-z]|[a-z].*\b{1}\b|\b{1}\b.*[a-z]',
                upper(a.token[1]) || a.token[2:], upper(a.token)
            )
        )
        and contains(lower(c.text), a.token) and not regexp_matches(
            c.text, format(
                '(?i)\b{0} ?[''’] ?([^s ]|$)|(?:["“]|``)[^"“”]*\b{0}\b[^"“”]*(?:["”]|'''')'
                || '|{1}-{0}|{0}-{1}|[$~_]{0}|{0}[$~_]|(?:/|www|@)\S*{0}|{0}\S*@', a.token, a.meant
            )
        )
)
select image, slot, format('“{}”, perhaps “{}”', token, meant) as why
from flagged
qualify row_number() over (partition by image, slot, token order by fit desc, captions desc, meant) = 1
order by image, slot, why
