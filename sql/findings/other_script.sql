-- name: other_script
-- version: 3
-- grain: caption
-- params: at_most DOUBLE
-- reads: reference, script
-- returns: image, slot, why
-- order: image, slot
--
-- Captions with most letters in a script that at most the share `at_most` of the captions use. Captions without a
-- letter have no script. Texts in other scripts write names in Latin letters (“Используйте RETURN QUERY”), so Latin
-- captions with a letter of another script are left out.
with written as (
    select
        r.image, r.slot, s.script, s.is_mixed, count(*) over (partition by s.script) as captions,
        count(*) over () as of_captions
    from reference as r
    join script as s using (caption_id)
    where s.script is not null
)
select image, slot, format('{} letters, as in {} captions', script, count(*) over (partition by script)) as why
from written
where captions <= $at_most::double * of_captions and not (script = 'Latin' and is_mixed)
order by image, slot
