-- name: text_repetition
-- version: 1
-- grain: selection
-- reads: equal_text, copy
-- returns: texts, texts_at_images, captions_at_images, captions_at_images_as_letters
--
-- The number of different texts, of those at several images, and of the captions with these, by tokens and letters.
select
    (select count(*) from equal_text) as texts,
    (select count(*) from equal_text where at_images) as texts_at_images,
    count(*) as captions_at_images,
    count(*) filter (where as_letters) as captions_at_images_as_letters
from copy
