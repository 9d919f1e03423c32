-- name: omitted_word
-- version: 1
-- grain: word
-- params: all_images BOOLEAN
-- reads: learnable_word, word_of_image, evaluated_image
-- returns: token_id, word, trained, evaluated
-- order: l.word
-- cites: van Miltenburg et al. 2018, section 3.3
--
-- The learnable words that the selected captions lack: those of images with human captions too, or of all images.
select l.token_id, l.word, l.trained, l.evaluated
from learnable_word as l
anti join (
    select token_id
    from word_of_image
    where $all_images::boolean or image in (select image from evaluated_image)
) as s on s.token_id = l.token_id
order by l.word
