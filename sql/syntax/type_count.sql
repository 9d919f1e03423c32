-- name: type_count
-- version: 1
-- grain: list, kind, image
-- reads: list_caption, phrase_said
-- returns: list_no, kind, image_no, types
-- order: list_no, kind, image_no nulls first
-- cites: van Miltenburg et al. 2018, section 4, table 3
--
-- The number of different compounds and prepositional phrases of each parallel list of captions, by length or depth.
-- Those of a single image are counted with that image, the others with image_no null: the counts without an image.
with typed as (
    select l.list_no, p.kind, p.phrase, case when count(distinct l.image_no) = 1 then min(l.image_no) end as image_no
    from list_caption as l
    join phrase_said as p using (caption_id)
    where p.kind <> 'negation'
    group by l.list_no, p.kind, p.phrase
)
select list_no, kind, image_no, count(*) as types
from typed
group by list_no, kind, image_no
order by list_no, kind, image_no nulls first
