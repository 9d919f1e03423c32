-- name: repeated_words
-- version: 3
-- grain: caption
-- reads: reference, caption, text_tokens, vocabulary
-- returns: image, slot, why
-- order: image, slot
-- merges: rows
--
-- Captions that repeat a phrase: the second half equals the first, two to six words occur at least three times in a
-- row, one word four times, or four to six words twice in a sentence. Good captions also contain shorter repetitions
-- (“hand in hand in a park”, “a red and a red and white bus”). They begin a sentence with the words that end the one
-- before, or list events (“two barks then two barks then”).
with worded as (
    select r.image, r.slot, t.tokens, len(t.tokens) as size
    from reference as r
    join text_tokens as t using (caption_id)
    where len(t.tokens) >= 3
),
begun as (
    select image, slot, tokens, size, place
    from (select image, slot, tokens, size, unnest(range(1, size)) as place from worded)
    where tokens[place] in (
        tokens[place + 1], tokens[place + 2], tokens[place + 3], tokens[place + 4], tokens[place + 5], tokens[place + 6]
    )
),
again as (
    select
        b.image, b.slot, b.tokens, s.span, b.place,
        b.tokens[b.place + 2 * s.span:b.place + 3 * s.span - 1] = b.tokens[b.place:b.place + s.span - 1]
        and (s.span > 1 or b.tokens[b.place + 3] = b.tokens[b.place]) as looping
    from begun as b
    cross join (select unnest([1, 2, 3, 4, 5, 6]) as span) as s
    where b.place + 2 * s.span - 1 <= b.size and b.tokens[b.place] = b.tokens[b.place + s.span]
        and b.tokens[b.place:b.place + s.span - 1] = b.tokens[b.place + s.span:b.place + 2 * s.span - 1]
),
looped as (
    select image, slot, tokens[place:place + span - 1] as repeated, if(looping, 'again and again', 'twice in a row') as times
    from again
    where looping or span > 3
    qualify row_number() over (partition by image, slot order by looping desc, if(looping, span, -span), place) = 1
),
halved as (
    select image, slot
    from worded
    where size >= 6 and size % 2 = 0 and tokens[:size // 2] = tokens[size // 2 + 1:]
),
spelled as (
    select
        l.image, l.slot, string_agg(v.token, ' ' order by u.nth) as words, any_value(l.times) as times,
        any_value(regexp_replace(
            regexp_replace(lower(c.text), '[''’‘´`]', '', 'g'), '[.!?。！？](\s|$)', ' | ', 'g'
        )) as text
    from looped as l
    join reference as r on r.image = l.image and r.slot = l.slot
    join caption as c on c.caption_id = r.caption_id, unnest(l.repeated) with ordinality as u (token_id, nth)
    join vocabulary as v on v.token_id = u.token_id
    group by l.image, l.slot
),
sure as (
    select image, slot, words, times
    from spelled
    where regexp_matches(words, '\p{L}') and (times = 'again and again'
        or not regexp_matches(words, '\b(then|followed)\b') and (
            contains(regexp_replace(text, '[^\p{L}\p{N}|]+', ' ', 'g'), words || ' ' || words)
            or not contains(regexp_replace(text, '[^\p{L}\p{N}]+', ' ', 'g'), words || ' ' || words)
        ))
)
select
    s.image, s.slot,
    if(h.image is null or s.times = 'again and again', '“' || s.words || '” ' || s.times, 'the whole caption twice') as why
from sure as s
left join halved as h on h.image = s.image and h.slot = s.slot
union all
select h.image, h.slot, 'the whole caption twice' as why
from halved as h
anti join sure as s on s.image = h.image and s.slot = h.slot
order by image, slot
