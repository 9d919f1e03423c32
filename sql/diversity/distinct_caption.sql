-- name: distinct_caption
-- version: 1
-- grain: list
-- reads: list_caption, normalized_form
-- returns: list_no, captions, distinct_captions
-- order: l.list_no
--
-- The number of captions of each list that can be compared, and of different ones.
select l.list_no, count(f.form) as captions, count(distinct f.form) as distinct_captions
from list_caption as l
join normalized_form as f using (caption_id)
group by l.list_no
order by l.list_no
