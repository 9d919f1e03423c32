-- name: word_to_cover
-- version: 1
-- grain: token
-- params: all_images BOOLEAN
-- reads: evaluated_image_word, reference
-- returns: token_id, occurrences
--
-- The words of people's captions, with frequencies: of the images that the captions at work describe too, or of all.
select token_id, sum(occurrences)::bigint as occurrences
from evaluated_image_word
where $all_images::boolean or image in (select image from reference)
group by token_id
