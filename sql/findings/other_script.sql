-- name: other_script
-- version: 3
-- grain: caption
-- params: at_most DOUBLE
-- reads: reference, script, script_use
-- returns: image, slot, why
-- order: r.image, r.slot
-- merges: rows
--
-- Captions with most letters in a script that at most the share `at_most` of the captions use. Captions without a
-- letter have no script. Texts in other scripts write names in Latin letters (“Используйте RETURN QUERY”), so Latin
-- captions with a letter of another script are left out.
select r.image, r.slot, format('{} letters, as in {} captions', s.script, if(s.script = 'Latin', u.unmixed, u.captions)) as why
from reference as r
join script as s using (caption_id)
join script_use as u on u.script = s.script
where u.captions <= $at_most::double * (select sum(captions) from script_use) and not (s.script = 'Latin' and s.is_mixed)
order by r.image, r.slot
