-- name: word_document_share
-- version: 1
-- grain: word
-- reads: reference, image_word
-- returns: word, images, share
--
-- The number of images with a word, and its share of all captions. Half a caption is added, so no share is 0 or 1.
with size as (select count(*) as captions from reference)
select w.word, count(*)::integer as images, (sum(w.holding)::bigint + 0.5) / (any_value(s.captions) + 1) as share
from image_word as w
cross join size as s
group by w.word
