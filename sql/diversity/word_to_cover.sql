-- name: word_to_cover
-- version: 1
-- grain: token
-- params: all_images BOOLEAN
-- reads: evaluated_image_word, reference
-- returns: token_id, occurrences
--
-- The words of human captions, with frequencies: for the images that the selected captions also describe, or for all.
select token_id, sum(occurrences)::bigint as occurrences
from evaluated_image_word
where $all_images::boolean or image in (select image from reference)
group by token_id
