-- name: distinct_caption
-- version: 1
-- grain: list
-- reads: list_caption, normalized_form
-- returns: list_no, captions, distinct_captions
-- order: l.list_no
--
-- How many captions of each list can be compared, and how many are different.
select l.list_no, count(f.form) as captions, count(distinct f.form) as distinct_captions
from list_caption as l
join normalized_form as f using (caption_id)
group by l.list_no
order by l.list_no
