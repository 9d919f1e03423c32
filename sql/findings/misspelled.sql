-- name: misspelled
-- version: 6
-- grain: caption, word
-- reads: reference, caption, text_tokens, near_word, usual_neighbor
-- returns: image, slot, why
-- order: image, slot, why
-- merges: rows
--
-- Captions with a rare word that is one edit away from a frequent one (relation near_word). Words do not count that a
-- caption quotes, ends with an apostrophe (“doesn ' t”), has in a URL, beside “$” or twice with a change
-- (“crinkling-crankling”), or writes as a name: in capitals, or with one inside a sentence, after a title, or before
-- another. Of words of three or four letters, many are names or abbreviations. They count if the frequent word occurs at
-- least three times after the word before, and before the word after (relation usual_neighbor).
with rare as (select distinct token_id from near_word),
held as (
    select distinct t.caption_id
    from (select caption_id, unnest(tokens) as token_id from text_tokens) as t
    semi join rare as r using (token_id)
),
placed as (
    select
        t.caption_id, unnest(t.tokens) as token_id, unnest(list_prepend(0, t.tokens[:-2])) as before,
        unnest(list_append(t.tokens[2:], 0)) as behind
    from text_tokens as t
    semi join held as h using (caption_id)
),
flagged as (
    select r.image, r.slot, a.token, a.meant, a.captions, coalesce(b.times * h.times, 0) as fit
    from placed as p
    join near_word as a using (token_id)
    join reference as r on r.caption_id = p.caption_id
    join caption as c on c.caption_id = p.caption_id
    left join usual_neighbor as b on b.side = 'before' and b.neighbor = p.before and b.token_id = a.meant_id
    left join usual_neighbor as h on h.side = 'behind' and h.neighbor = p.behind and h.token_id = a.meant_id
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
                || '|{1}-{0}|{0}-{1}|[$~_\\]{0}|{0}[$~_]|(?:/|www|@)\S*{0}|{0}\S*@', a.token, a.meant
            )
        )
)
select image, slot, format('“{}”, perhaps “{}”', token, meant) as why
from flagged
qualify row_number() over (partition by image, slot, token order by fit desc, captions desc, meant) = 1
order by image, slot, why
