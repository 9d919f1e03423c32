-- name: loop
-- version: 3
-- grain: caption
-- reads: reference, caption, text_tokens, vocabulary, repeated_words
-- returns: image, slot, why
-- order: image, slot
-- merges: rows
--
-- Captions that loop, except those of relation repeated_words: a sentence of at least three words occurs three times, or
-- twice in a row or at the end, or a phrase of two or three words begins again (“rain in the rain in the rain”), or the
-- caption ends with a word three times. Human captions name sounds in threes (“beep, beep, beep”), so these are left out.
-- Sentences are compared without case and punctuation.
with spoken as (
    select r.image, r.slot, c.text, t.tokens
    from reference as r
    join caption as c using (caption_id)
    join text_tokens as t using (caption_id)
    where len(t.tokens) >= 3
),
phrase as (
    select
        image, slot, tokens, place,
        case
            when tokens[place] = tokens[place + 1] and tokens[place] = tokens[place + 2]
                and place + 2 = len(tokens) then 1
            when tokens[place] = tokens[place + 2] and tokens[place + 1] = tokens[place + 3]
                and tokens[place] = tokens[place + 4] then 2
            when tokens[place] = tokens[place + 3] and tokens[place + 1] = tokens[place + 4]
                and tokens[place + 2] = tokens[place + 5] and tokens[place] = tokens[place + 6] then 3
        end as span
    from (select image, slot, tokens, unnest(range(1, len(tokens) - 1)) as place from spoken)
    where tokens[place] in (tokens[place + 1], tokens[place + 2], tokens[place + 3])
),
running as (
    select image, slot, tokens[place:place + span - 1] as words
    from phrase
    where span is not null
    qualify row_number() over (partition by image, slot order by place) = 1
),
spelled as (
    select r.image, r.slot, string_agg(v.token, ' ' order by u.nth) as words
    from running as r, unnest(r.words) with ordinality as u (token_id, nth)
    join vocabulary as v on v.token_id = u.token_id
    join spoken as s on s.image = r.image and s.slot = r.slot
    group by r.image, r.slot
    having not regexp_matches(words, '^\S+ and$|^and ')
        and (count(*) > 1 or contains(lower(any_value(s.text)), concat_ws(' ', words, words, words)))
),
said as (
    select image, slot, unnest(range(-len(parts), 0)) as place, trim(regexp_replace(unnest(parts), '[^\p{L}\p{N} ]', '', 'g')) as said
    from (select image, slot, text, string_split_regex(rtrim(lower(text), '.!? '), '[.!?]+\s+|\n+') as parts from spoken)
    where regexp_matches(text, '[.!?\n]\s*\S')
),
again as (
    select image, slot, said, count(*) as times
    from said
    where regexp_matches(said, '\S +\S+ +\S')
    group by image, slot, said
    having count(*) >= 3 or count(*) = 2 and (max(place) - min(place) = 1 or max(place) = -1)
    qualify row_number() over (partition by image, slot order by count(*) desc, said) = 1
),
looped as (
    select image, slot, format('“{}” again and again', words) as why, 1 as rank from spelled
    union all
    select image, slot, format('{} times the sentence “{}”', times, if(length(said) > 60, said[:60] || '…', said)), 2
    from again
)
select l.image, l.slot, arg_min(l.why, l.rank) as why
from looped as l
anti join repeated_words as w on w.image = l.image and w.slot = l.slot
group by l.image, l.slot
order by image, slot
