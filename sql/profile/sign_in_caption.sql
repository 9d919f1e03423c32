-- name: sign_in_caption
-- version: 2
-- grain: image, slot
-- reads: reference, caption
-- returns: image_no, image, slot, split, text, signs
--
-- The captions at work, and the signs of dirt that their script and length show. Lengths are in tokens; one is unusual
-- that lies more than three interquartile ranges outside the quartiles.
with placed as (
    select r.image_no, r.image, r.slot, r.split, r.length, c.text
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
        case when s.is_mixed then 'captions-of-mixed-scripts' end,
        case when p.length between 1 and 2 then 'captions-of-one-or-two-words' end,
        case when p.length > q.upper_end + q.reach or p.length < q.lower_end - q.reach then 'captions-of-unusual-length' end
    ], lambda sign: sign is not null) as signs
from placed as p
cross join quartile as q
left join script as s on p.text = s.text
