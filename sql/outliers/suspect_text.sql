-- name: suspect_text
-- version: 1
-- grain: caption that may be of another image
-- reads: suspect_caption, reference, text_tokens
-- returns: image, slot, bag_no
--
-- A number that captions in doubt share where they have the same words, however ordered and however often: evidence
-- cannot tell these apart, and no two of them can have changed places.
select r.image, r.slot, dense_rank() over (order by list_sort(list_distinct(t.tokens)))::integer as bag_no
from suspect_caption as s
join reference as r on r.image_no = s.image_no and r.slot = s.slot
join text_tokens as t on t.caption_id = s.caption_id
order by r.image, r.slot
