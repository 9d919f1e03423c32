-- name: sign_in_caption
-- version: 1
-- grain: image, slot
-- reads: reference, caption
-- returns: image_no, image, slot, split, text, signs
--
-- The captions at work, and the signs of dirt that their own text shows. Lengths are in tokens; one is unusual
-- that lies more than three interquartile ranges outside the quartiles.
with placed as (
    select
        r.image_no, r.image, r.slot, r.split, r.length, c.text, trim(c.text, e' \t\r\n') as inner_text
    from reference as r
    join caption as c using (caption_id)
),
quartile as (
    select
        quantile_cont(length, 0.25) as lower_end,
        quantile_cont(length, 0.75) as upper_end,
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
        + regexp_matches(text, '[\p{Han}\p{Hiragana}\p{Katakana}]')::integer > 1 as is_mixed
    from (select distinct text from placed where regexp_matches(text, '[^\x00-\x7f]'))
)
select
    p.image_no, p.image, p.slot, p.split, p.text,
    list_filter([
        case when p.text <> p.inner_text then 'captions-with-outer-blanks' end,
        case when contains(p.text, '  ') then 'captions-with-double-blanks' end,
        case when regexp_matches(p.inner_text, '[\r\n]') then 'captions-with-line-breaks' end,
        case when regexp_matches(p.text, '[\r\n]\s*$') then 'captions-ending-in-a-line-break' end,
        case when regexp_matches(
            p.text, '[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x{9f}\x{ad}\x{200b}\x{200e}\x{200f}\x{202a}-\x{202e}\x{2060}-\x{206f}\x{feff}]'
        ) then 'captions-with-unprintable-characters' end,
        case when regexp_matches(p.text, '[ÂÃ][\x{80}-\x{bf}]|â€') then 'captions-that-look-encoded-twice' end,
        case when contains(p.text, chr(65533)) then 'captions-with-replacement-characters' end,
        case when regexp_matches(p.text, '</?[a-zA-Z][^<>]*>|&#?[a-zA-Z0-9]+;') then 'captions-with-markup' end,
        case when s.is_mixed then 'captions-of-mixed-scripts' end,
        case when regexp_matches(p.text, '[^\x00-\x7f]') then 'captions-beyond-ascii' end,
        case when regexp_matches(p.inner_text, '\w [.,!?;:](\s|$)') then 'captions-with-blanks-before-punctuation' end,
        case when p.inner_text like '%.' then 'captions-ending-in-a-full-stop' end,
        case when p.length between 1 and 2 then 'captions-of-one-or-two-words' end,
        case when p.length > q.upper_end + q.reach or p.length < q.lower_end - q.reach then 'captions-of-unusual-length' end
    ], lambda sign: sign is not null) as signs
from placed as p
cross join quartile as q
left join script as s on p.text = s.text
