-- name: hygiene
-- version: 2
-- grain: statistic
-- reads: reference, caption
-- returns: statistic, value
--
-- How many of the captions at work show signs of dirt. Lengths are in tokens; one is unusual that lies more than three
-- interquartile ranges outside the quartiles. A text in several splits is counted at every place where it stands.
with placed as (
    select r.split, r.length, c.text, trim(c.text, e' \t\r\n') as inner_text
    from reference as r
    join caption as c using (caption_id)
),
quartile as (
    select
        quantile_cont(length, 0.25) as lower,
        quantile_cont(length, 0.75) as upper,
        3 * (quantile_cont(length, 0.75) - quantile_cont(length, 0.25)) as reach
    from reference
),
script as (
    select
        text,
        regexp_matches(text, '\p{Latin}')::integer + regexp_matches(text, '\p{Greek}')::integer
        + regexp_matches(text, '\p{Cyrillic}')::integer + regexp_matches(text, '[\p{Hebrew}\p{Arabic}]')::integer
        + regexp_matches(text, '[\p{Devanagari}\p{Bengali}\p{Tamil}\p{Telugu}\p{Gujarati}]')::integer
        + regexp_matches(text, '[\p{Thai}\p{Khmer}\p{Lao}]')::integer + regexp_matches(text, '\p{Hangul}')::integer
        + regexp_matches(text, '[\p{Han}\p{Hiragana}\p{Katakana}]')::integer as scripts
    from placed
),
mixed as (select count(*) filter (where scripts > 1) as captions from script),
per_text as (
    select text, count(*) as places, count(distinct split) as splits
    from placed
    group by text
),
leaked as (select coalesce(sum(places) filter (where splits > 1), 0) as captions from per_text),
seen as (
    select
        count(*) filter (where p.text <> p.inner_text) as outer_blanks,
        count(*) filter (where contains(p.text, '  ')) as double_blanks,
        count(*) filter (where regexp_matches(p.inner_text, '[\r\n]')) as line_breaks,
        count(*) filter (where regexp_matches(p.text, '[\r\n]\s*$')) as line_ends,
        count(*) filter (where regexp_matches(
            p.text, '[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x{9f}\x{ad}\x{200b}\x{200e}\x{200f}\x{202a}-\x{202e}\x{2060}-\x{206f}\x{feff}]'
        )) as unprintable,
        count(*) filter (where regexp_matches(p.text, '[ÂÃ][\x{80}-\x{bf}]|â€')) as twice_encoded,
        count(*) filter (where contains(p.text, chr(65533))) as replacement,
        count(*) filter (where regexp_matches(p.text, '</?[a-zA-Z][^<>]*>|&#?[a-zA-Z0-9]+;')) as markup,
        count(*) filter (where regexp_matches(p.text, '[^\x00-\x7f]')) as beyond_ascii,
        count(*) filter (where regexp_matches(p.inner_text, '\w [.,!?;:](\s|$)')) as tokenised,
        count(*) filter (where p.inner_text like '%.') as full_stop,
        count(*) filter (where p.length between 1 and 2) as near_empty,
        count(*) filter (where p.length > q.upper + q.reach or p.length < q.lower - q.reach) as unusual
    from placed as p
    cross join quartile as q
),
listed as (
    select unnest([
        {'position': 1, 'statistic': 'captions-with-outer-blanks', 'value': s.outer_blanks},
        {'position': 2, 'statistic': 'captions-with-double-blanks', 'value': s.double_blanks},
        {'position': 3, 'statistic': 'captions-with-line-breaks', 'value': s.line_breaks},
        {'position': 4, 'statistic': 'captions-ending-in-a-line-break', 'value': s.line_ends},
        {'position': 5, 'statistic': 'captions-with-unprintable-characters', 'value': s.unprintable},
        {'position': 6, 'statistic': 'captions-that-look-encoded-twice', 'value': s.twice_encoded},
        {'position': 7, 'statistic': 'captions-with-replacement-characters', 'value': s.replacement},
        {'position': 8, 'statistic': 'captions-with-markup', 'value': s.markup},
        {'position': 9, 'statistic': 'captions-of-mixed-scripts', 'value': m.captions},
        {'position': 10, 'statistic': 'captions-beyond-ascii', 'value': s.beyond_ascii},
        {'position': 11, 'statistic': 'captions-with-blanks-before-punctuation', 'value': s.tokenised},
        {'position': 12, 'statistic': 'captions-ending-in-a-full-stop', 'value': s.full_stop},
        {'position': 13, 'statistic': 'captions-of-one-or-two-words', 'value': s.near_empty},
        {'position': 14, 'statistic': 'captions-of-unusual-length', 'value': s.unusual},
        {'position': 15, 'statistic': 'captions-in-several-splits', 'value': l.captions}
    ], recursive := true)
    from seen as s, mixed as m, leaked as l
)
select statistic, value::double as value
from listed
order by position
