-- name: templated_caption
-- version: 2
-- grain: caption that holds a template
-- reads: reference, template, template_skeleton
-- returns: image, slot, pattern, share
-- order: r.image, r.slot
--
-- The captions that contain a template, each with the one that covers most of its tokens, and the share of its tokens
-- that are fixed. Ties go to the more frequent template, then by spelling.
with ranked as (
    select shape, opening, ending, pattern, fixed, row_number() over (order by fixed desc, captions desc, pattern) as rank
    from template
),
first_of as (
    select p.caption_id, min(t.rank) as rank
    from template_skeleton as p
    join ranked as t on t.shape = p.shape and t.opening = p.opening and t.ending = p.ending
    group by p.caption_id
),
foremost as (select f.caption_id, t.pattern, t.fixed from first_of as f join ranked as t on t.rank = f.rank)
select r.image, r.slot, f.pattern, f.fixed / r.length as share
from reference as r
join foremost as f using (caption_id)
order by r.image, r.slot
