-- name: script_use
-- version: 1
-- grain: script
-- reads: reference, script
-- returns: script, captions, unmixed
-- merges: sum captions, unmixed
--
-- The number of captions with most letters in each script, and of those without a letter of another script.
select s.script, count(*) as captions, count_if(not s.is_mixed)::bigint as unmixed
from reference as r
join script as s using (caption_id)
where s.script is not null
group by s.script
