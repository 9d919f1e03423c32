-- name: novel_caption
-- version: 1
-- grain: list
-- reads: list_caption, normalized_form, trained_form
-- returns: list_no, captions, novel
-- order: l.list_no
-- cites: van Miltenburg et al. 2018, section 2, %Novel: duplicates among the novel captions count
--
-- The number of captions of each list that can be compared, and of those that are not in the training captions.
with known as (select distinct form from trained_form where form is not null)
select l.list_no, count(*) as captions, count(*) filter (where k.form is null) as novel
from list_caption as l
join normalized_form as f using (caption_id)
left join known as k on k.form = f.form
where f.form is not null
group by l.list_no
order by l.list_no
