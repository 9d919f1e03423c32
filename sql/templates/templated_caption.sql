-- name: templated_caption
-- version: 1
-- grain: caption that holds a template
-- reads: reference, template, template_skeleton
-- returns: image, slot, pattern, share
-- order: r.image, r.slot
--
-- The captions that contain a template, each with the one that covers most of its tokens, and the share of its tokens
-- that are fixed. Ties go to the more frequent template, then by spelling.
with held as (
    select distinct p.caption_id, t.pattern, t.fixed, t.captions
    from template_skeleton as p
    join template as t on t.shape = p.shape and t.opening = p.opening and t.ending = p.ending
),
foremost as (
    select caption_id, pattern, fixed
    from held
    qualify row_number() over (partition by caption_id order by fixed desc, captions desc, pattern) = 1
)
select r.image, r.slot, f.pattern, f.fixed / r.length as share
from reference as r
join foremost as f using (caption_id)
order by r.image, r.slot
