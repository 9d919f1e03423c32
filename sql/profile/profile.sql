-- name: profile
-- version: 5
-- grain: selection
-- reads: image_size_count, caption_length_count, split_size, caption_size_count, token_count, repeat_count, text_repetition
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
with size as (
    select
        sum(images)::bigint as images, min(captions) as captions_min, sum(captions * images) / sum(images) as captions_mean,
        max(captions) as captions_max, coalesce(sum(images) filter (where captions < 2), 0)::bigint as single
    from image_size_count
),
summed as (
    select
        sum(captions)::hugeint as captions, sum(length::hugeint * captions)::hugeint as tokens,
        sum(length::hugeint * length * captions)::hugeint as squares, min(length) as shortest, max(length) as longest
    from caption_length_count
),
word as (select count(*) as types, count(*) filter (where occurrences = 1) as once from token_count),
one_word as (select coalesce(sum(captions), 0)::bigint as captions from caption_size_count where tokens = 1),
unsplit as (select coalesce(sum(captions), 0)::bigint as captions from split_size where split is null)
select
    s.images, l.captions::bigint as captions, s.captions_min as captions_per_image_min, s.captions_mean as captions_per_image_mean,
    s.captions_max as captions_per_image_max, s.single as images_with_one_caption, l.tokens::bigint as tokens, w.types,
    w.once as types_occurring_once, l.tokens / l.captions as asl,
    sqrt((l.captions * l.squares - l.tokens ** 2)::double) / l.captions as sdsl, l.shortest as length_min,
    l.longest as length_max, r.wordless as captions_without_word, o.captions as captions_of_one_word,
    t.texts + r.wordless as distinct_captions, r.images_with_repeats as images_repeating_a_caption,
    r.repeats as captions_repeated_within_image, r.images_in_letters as images_repeating_a_caption_as_letters,
    r.letter_repeats as captions_repeated_within_image_as_letters, t.captions_at_images as captions_on_several_images,
    t.captions_at_images_as_letters as captions_on_several_images_as_letters,
    t.texts_at_images as texts_on_several_images, u.captions as captions_in_no_split
from size as s, summed as l, word as w, one_word as o, unsplit as u
cross join text_repetition as t
cross join repeat_count as r
