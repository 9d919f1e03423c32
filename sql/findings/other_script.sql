-- name: other_script
-- version: 1
-- grain: caption
-- params: at_most DOUBLE
-- reads: reference, caption
-- returns: image, slot, why
-- order: image, slot
--
-- Captions whose letters are mostly of a script that at most `at_most` of the captions are written in. Those without a
-- letter have none.
with letter as (
    select
        r.image, r.slot,
        length(regexp_replace(c.text, '\P{Latin}+', '', 'g')) as latin,
        length(regexp_replace(c.text, '\P{Greek}+', '', 'g')) as greek,
        length(regexp_replace(c.text, '\P{Cyrillic}+', '', 'g')) as cyrillic,
        length(regexp_replace(c.text, '\P{Hebrew}+', '', 'g')) as hebrew,
        length(regexp_replace(c.text, '\P{Arabic}+', '', 'g')) as arabic,
        length(regexp_replace(c.text, '[^\p{Devanagari}\p{Bengali}\p{Tamil}\p{Telugu}\p{Gujarati}]+', '', 'g')) as indic,
        length(regexp_replace(c.text, '[^\p{Thai}\p{Khmer}\p{Lao}]+', '', 'g')) as thai,
        length(regexp_replace(c.text, '\P{Hangul}+', '', 'g')) as hangul,
        length(regexp_replace(c.text, '[^\p{Han}\p{Hiragana}\p{Katakana}]+', '', 'g')) as han
    from reference as r
    join caption as c using (caption_id)
    where strlen(c.text) > length(c.text)
),
ascii as (
    select count(*) as captions
    from reference as r
    join caption as c using (caption_id)
    where strlen(c.text) = length(c.text) and regexp_matches(c.text, '[A-Za-z]')
),
written as (
    select
        image, slot,
        greatest(latin, greek, cyrillic, hebrew, arabic, indic, thai, hangul, han) as most,
        case most
            when latin then 'Latin' when greek then 'Greek' when cyrillic then 'Cyrillic' when hebrew then 'Hebrew'
            when arabic then 'Arabic' when indic then 'Indic' when thai then 'Thai' when hangul then 'Korean'
            else 'Chinese or Japanese'
        end as script
    from letter
),
counted as (
    select script, sum(captions)::bigint as captions
    from (
        select script, count(*) as captions from written where most > 0 group by script
        union all
        select 'Latin' as script, captions from ascii
    )
    group by script
),
seldom as (
    select script, captions from counted where captions <= $at_most::double * (select sum(captions) from counted)
)
select w.image, w.slot, format('{} letters, as in {} captions', w.script, s.captions) as why
from written as w
join seldom as s on s.script = w.script
where w.most > 0
union all
select r.image, r.slot, format('Latin letters, as in {} captions', s.captions) as why
from reference as r
join caption as c using (caption_id)
join seldom as s on s.script = 'Latin'
where strlen(c.text) = length(c.text) and regexp_matches(c.text, '[A-Za-z]')
order by image, slot
