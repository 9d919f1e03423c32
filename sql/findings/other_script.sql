-- name: other_script
-- version: 2
-- grain: caption
-- params: at_most DOUBLE
-- reads: reference, script
-- returns: image, slot, why
-- order: image, slot
--
-- Captions whose letters are mostly of a script that at most `at_most` of the captions are written in. Those without a
-- letter have none.
with written as (
    select
        r.image, r.slot, s.script, count(*) over (partition by s.script) as captions, count(*) over () as of_captions
    from reference as r
    join script as s using (caption_id)
    where s.script is not null
)
select image, slot, format('{} letters, as in {} captions', script, captions) as why
from written
where captions <= $at_most::double * of_captions
order by image, slot
