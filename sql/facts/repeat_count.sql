-- name: repeat_count
-- version: 2
-- grain: selection
-- reads: repeat, length
-- returns: captions, images, wordless, repeats, images_with_repeats, letter_repeats, images_in_letters, in_groups, pairs, images_all_equal
-- cites: Wang & Gaizauskas 2016, section 4.1
-- merges: sum captions, images, wordless, repeats, images_with_repeats, letter_repeats, images_in_letters,
--   in_groups, pairs, images_all_equal
--
-- The number of captions that repeat an earlier one of their image, by tokens and letter for letter. `in_groups` counts
-- the captions in groups of equal captions, including the first. The query does not list the `pairs`, since their
-- number grows with the square of the captions. `wordless` captions have no token.
with grouped as (
    select image_no, count(*) + 1 as captions, count(letters_of_slot) as letters, any_value(distinct_captions) as distinct_captions
    from repeat
    group by image_no, of_slot
),
repeated as (
    select
        coalesce(sum(captions - 1), 0)::bigint as repeats, count(distinct image_no) as images_with_repeats,
        coalesce(sum(letters), 0)::bigint as letter_repeats,
        count(distinct image_no) filter (where letters > 0) as images_in_letters,
        coalesce(sum(captions), 0)::bigint as in_groups,
        coalesce(sum(captions * (captions - 1) // 2), 0)::bigint as pairs,
        count(*) filter (where distinct_captions = 1) as images_all_equal
    from grouped
),
described as (
    select count(*) as captions, count(distinct image_no) as images, count(*) filter (where tokens = 0) as wordless
    from length
)
select
    d.captions, d.images, d.wordless, r.repeats, r.images_with_repeats, r.letter_repeats, r.images_in_letters,
    r.in_groups, r.pairs, r.images_all_equal
from described as d, repeated as r
