-- name: profile
-- version: 5
-- grain: selection
-- reads: reference, token_count, repeat_count, equal_text, copy, length
-- returns: images, captions, captions_per_image_min, captions_per_image_mean, captions_per_image_max,
--   images_with_one_caption, tokens, types, types_occurring_once, asl, sdsl, length_min, length_max,
--   captions_without_word, captions_of_one_word, distinct_captions, images_repeating_a_caption,
--   captions_repeated_within_image, images_repeating_a_caption_as_letters,
--   captions_repeated_within_image_as_letters, captions_on_several_images,
--   captions_on_several_images_as_letters, texts_on_several_images, captions_in_no_split
--
-- Size, length, vocabulary and repetition of the selected captions. Lengths are in tokens of the tokenizer. Standard
-- deviations are of the population, as in van Miltenburg et al. 2018, computed from integers, so the order changes no
-- digit. Captions repeat as in `repeat` and `copy`, by the one tokenizer of the version. That tokenizer also decides
-- which captions have a word; those without one equal no other caption. Their cards name and order them.
with per_image as (
    select image_no, count(*) as captions
    from reference
    group by image_no
),
size as (
    select
        count(*) as images, min(captions) as captions_min, avg(captions) as captions_mean, max(captions) as captions_max,
        count(*) filter (where captions < 2) as single
    from per_image
),
lengths as (
    select
        count(*) as captions, sum(length) as tokens, avg(length) as asl,
        sqrt((count(*) * sum(length::hugeint * length) - sum(length)::hugeint ** 2)::double) / count(*) as sdsl,
        min(length) as shortest, max(length) as longest, count(*) filter (where split is null) as unsplit
    from reference
),
word as (
    select count(*) as types, count(*) filter (where occurrences = 1) as once
    from token_count
),
one_word as (select count(*) as captions from length where tokens = 1),
worded as (select count(*) as texts, count(*) filter (where at_images) as texts_at_images from equal_text),
elsewhere as (select count(*) as captions, count(*) filter (where as_letters) as as_letters from copy)
select
    s.images, l.captions, s.captions_min as captions_per_image_min, s.captions_mean as captions_per_image_mean,
    s.captions_max as captions_per_image_max, s.single as images_with_one_caption, l.tokens, w.types,
    w.once as types_occurring_once, l.asl, l.sdsl, l.shortest as length_min, l.longest as length_max,
    r.wordless as captions_without_word, o.captions as captions_of_one_word,
    t.texts + r.wordless as distinct_captions, r.images_with_repeats as images_repeating_a_caption,
    r.repeats as captions_repeated_within_image, r.images_in_letters as images_repeating_a_caption_as_letters,
    r.letter_repeats as captions_repeated_within_image_as_letters, e.captions as captions_on_several_images,
    e.as_letters as captions_on_several_images_as_letters, t.texts_at_images as texts_on_several_images,
    l.unsplit as captions_in_no_split
from size as s, lengths as l, word as w, one_word as o, worded as t, elsewhere as e
cross join repeat_count as r
