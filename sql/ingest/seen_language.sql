-- name: seen_language
-- version: 1
-- grain: language
-- reads: content
-- returns: language, captions, of_captions
-- order: captions desc, language
--
-- The possible languages of captions, by script, the most frequent first, as BCP 47 codes. If a script belongs to one
-- language, that is named; if it belongs to several, only the script (und-Cyrl). Latin letters do not identify a
-- language and count as null. Captions without letters are left out of `of_captions`.
with lettered as (
    select
        strlen(text) = length(text) as plain,
        case
            when (ord(text) | 32) between 97 and 122 and strlen(text) = length(text) then 'a'
            when strlen(text) = length(text) then regexp_extract(text, '[A-Za-z]')
            else regexp_replace(text, '\P{L}+', '', 'g')
        end as letters
    from content
),
identified as (
    select
        case
            when plain then null
            when regexp_matches(letters, '[\p{Hiragana}\p{Katakana}]') then 'ja'
            when 2 * length(regexp_replace(letters, '\P{Han}+', '', 'g')) >= length(letters) then 'zh'
            when 2 * length(regexp_replace(letters, '\P{Hangul}+', '', 'g')) >= length(letters) then 'ko'
            when 2 * length(regexp_replace(letters, '\P{Thai}+', '', 'g')) >= length(letters) then 'th'
            when 2 * length(regexp_replace(letters, '\P{Lao}+', '', 'g')) >= length(letters) then 'lo'
            when 2 * length(regexp_replace(letters, '\P{Khmer}+', '', 'g')) >= length(letters) then 'km'
            when 2 * length(regexp_replace(letters, '\P{Myanmar}+', '', 'g')) >= length(letters) then 'my'
            when 2 * length(regexp_replace(letters, '\P{Greek}+', '', 'g')) >= length(letters) then 'el'
            when 2 * length(regexp_replace(letters, '\P{Hebrew}+', '', 'g')) >= length(letters) then 'he'
            when 2 * length(regexp_replace(letters, '\P{Cyrillic}+', '', 'g')) >= length(letters) then 'und-Cyrl'
            when 2 * length(regexp_replace(letters, '\P{Arabic}+', '', 'g')) >= length(letters) then 'und-Arab'
            when 2 * length(regexp_replace(letters, '\P{Devanagari}+', '', 'g')) >= length(letters) then 'und-Deva'
        end as language
    from lettered
    where letters <> ''
)
select language, count(*) as captions, sum(count(*)) over ()::bigint as of_captions
from identified
group by language
order by captions desc, language
