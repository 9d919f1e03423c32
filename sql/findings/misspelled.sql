-- name: misspelled
-- version: 4
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
-- a caption quotes, ends with an apostrophe (“doesn ' t”, “graffiti'd”), or writes as a name: with a capital inside a
-- sentence or a word. Of words of three or four letters, many are names or abbreviations. They count if the frequent
-- word occurs at least three times after the word before, and before the word after. A list of words has no inflections
-- of words that it lacks: such an ending is not a misspelling (“kayakers”). Two words can only be one edit apart if they
-- share a form with one letter removed.
with copy as (select caption_id, count(*) as copies from reference group by caption_id),
counted as (
    select
        v.token_id, v.token, h.captions,
        v.token_id in (select token_id from english_token union all select token_id from regular_form) as is_known
    from (
        select o.token_id, sum(c.copies)::bigint as captions
        from (select caption_id, unnest(list_distinct(tokens)) as token_id from text_tokens) as o
        join copy as c using (caption_id)
        group by o.token_id
    ) as h
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
    select distinct
        r.token_id, r.token, f.token_id as meant_id, f.token as meant, f.captions, length(r.token) >= 5 as is_long
    from formed as r
    join formed as f using (form)
    where r.captions <= 2 and not r.is_known and f.captions >= $frequent::integer
        and f.captions >= $times_as_frequent::integer * r.captions and damerau_levenshtein(r.token, f.token) = 1
        and (f.is_known or not starts_with(f.token, left(r.token, -2)))
),
placed as materialized (
    select t.caption_id, c.copies, t.token_id, coalesce(t.before, 0) as before, coalesce(t.behind, 0) as behind
    from (
        select
            caption_id, unnest(tokens) as token_id, unnest(list_prepend(0, tokens[:-2])) as before,
            unnest(tokens[2:]) as behind
        from text_tokens
    ) as t
    join copy as c using (caption_id)
    semi join (select unnest([token_id, meant_id]) as token_id from near_word) as w on w.token_id = t.token_id
),
usual_before as (
    select before, token_id, sum(copies)::bigint as times from placed group by before, token_id having sum(copies) >= 3
),
usual_behind as (
    select behind, token_id, sum(copies)::bigint as times from placed group by behind, token_id having sum(copies) >= 3
),
flagged as (
    select r.image, r.slot, a.token, a.meant, a.captions, coalesce(b.times * h.times, 0) as fit
    from placed as p
    join near_word as a using (token_id)
    join reference as r on r.caption_id = p.caption_id
    join caption as c on c.caption_id = p.caption_id
    left join usual_before as b on b.before = p.before and b.token_id = a.meant_id
    left join usual_behind as h on h.behind = p.behind and h.token_id = a.meant_id
    where (a.is_long or b.times is not null and h.times is not null)
        and not regexp_matches(c.text, '([^\s.!?:"“(] ["“(]?|\w[-/])' || upper(a.token[1]) || a.token[2:] || '\b')
        and contains(lower(c.text), a.token)
        and not regexp_matches(c.text, format('(?i)\b{0} ?[''’] ?([^s ]|$)|["“][^"“”]*\b{0}\b[^"“”]*["”]', a.token))
)
select image, slot, format('“{}”, perhaps “{}”', token, meant) as why
from flagged
qualify row_number() over (partition by image, slot, token order by fit desc, captions desc, meant) = 1
order by image, slot, why
