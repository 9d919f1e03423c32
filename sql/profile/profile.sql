-- name: profile
-- version: 5
-- grain: statistic
-- reads: reference, token_count, repeat_count, equal_text, copy, length
-- returns: statistic, value
-- order: position
--
-- Size, length, vocabulary and repetition of the selected captions. Lengths are in tokens of the tokenizer. Standard
-- deviations are of the population, as in van Miltenburg et al. 2018, computed from integers, so the order changes no
-- digit. Captions repeat as in `repeat` and `copy`, by the one tokenizer of the version. That tokenizer also decides
-- which captions have a word; those without one equal no other caption. The first word of a statistic is the unit of
-- its count.
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
elsewhere as (select count(*) as captions, count(*) filter (where as_letters) as as_letters from copy),
listed as (
    select unnest([
        {'position': 1, 'statistic': 'images', 'value': s.images::double},
        {'position': 2, 'statistic': 'captions', 'value': l.captions::double},
        {'position': 3, 'statistic': 'captions-per-image-min', 'value': s.captions_min::double},
        {'position': 4, 'statistic': 'captions-per-image-mean', 'value': s.captions_mean},
        {'position': 5, 'statistic': 'captions-per-image-max', 'value': s.captions_max::double},
        {'position': 6, 'statistic': 'images-with-one-caption', 'value': s.single::double},
        {'position': 7, 'statistic': 'tokens', 'value': l.tokens::double},
        {'position': 8, 'statistic': 'types', 'value': w.types::double},
        {'position': 9, 'statistic': 'types-occurring-once', 'value': w.once::double},
        {'position': 10, 'statistic': 'asl', 'value': l.asl},
        {'position': 11, 'statistic': 'sdsl', 'value': l.sdsl},
        {'position': 12, 'statistic': 'length-min', 'value': l.shortest::double},
        {'position': 13, 'statistic': 'length-max', 'value': l.longest::double},
        {'position': 14, 'statistic': 'captions-without-word', 'value': r.wordless::double},
        {'position': 15, 'statistic': 'captions-of-one-word', 'value': o.captions::double},
        {'position': 16, 'statistic': 'distinct-captions', 'value': (t.texts + r.wordless)::double},
        {'position': 17, 'statistic': 'images-repeating-a-caption', 'value': r.images_with_repeats::double},
        {'position': 18, 'statistic': 'captions-repeated-within-image', 'value': r.repeats::double},
        {'position': 19, 'statistic': 'images-repeating-a-caption-as-letters', 'value': r.images_in_letters::double},
        {'position': 20, 'statistic': 'captions-repeated-within-image-as-letters', 'value': r.letter_repeats::double},
        {'position': 21, 'statistic': 'captions-on-several-images', 'value': e.captions::double},
        {'position': 22, 'statistic': 'captions-on-several-images-as-letters', 'value': e.as_letters::double},
        {'position': 23, 'statistic': 'texts-on-several-images', 'value': t.texts_at_images::double},
        {'position': 24, 'statistic': 'captions-in-no-split', 'value': l.unsplit::double}
    ], recursive := true)
    from size as s, lengths as l, word as w, one_word as o, worded as t, elsewhere as e
    cross join repeat_count as r
)
select statistic, value
from listed
order by position
