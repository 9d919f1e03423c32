-- name: other_language
-- version: 2
-- grain: caption
-- params: main VARCHAR, rare VARCHAR[], least DOUBLE
-- reads: reference, text_tokens, caption_language, english_token, vocabulary
-- returns: image, slot, why
-- order: r.image, r.slot
-- merges: not, it compares captions across shards
--
-- Captions in one of the languages `rare` (relation caption_language, with a probability of at least `least`) that have
-- three different words or more, at most six in ten of them familiar. If `main` is not English, for which a list of words
-- helps, five words are needed: a detector takes short texts for a related language. Familiar are the words of at least two captions in
-- the language `main` and, if that is English, its words of five letters or more: shorter ones occur in many languages.
-- A detector takes “goats bleat nearby” for Frisian.
with word as (
    select l.caption_id, l.language, unnest(list_distinct(t.tokens)) as token_id
    from caption_language as l
    join text_tokens as t using (caption_id)
    where l.language = $main::varchar or l.probability >= $least::double and list_contains($rare::varchar[], l.language)
),
familiar as (
    select token_id from word where language = $main::varchar group by token_id having count(*) >= 2
    union
    select e.token_id
    from english_token as e
    join vocabulary as v using (token_id)
    where $main::varchar = 'en' and length(v.token) >= 5
),
strange as (
    select w.caption_id, any_value(w.language) as language
    from word as w
    left join familiar as f using (token_id)
    where w.language <> $main::varchar
    group by w.caption_id
    having count(*) >= if($main::varchar = 'en', 3, 5) and count(f.token_id) <= 0.6 * count(*)
)
select r.image, r.slot, format('language {}, others {}', s.language, $main::varchar) as why
from reference as r
join strange as s using (caption_id)
order by r.image, r.slot
