-- name: repetition
-- version: 1
-- grain: statistic
-- reads: reference, caption
-- returns: statistic, value
--
-- How the captions at work are spread over images, and which repeat where case and outer blanks do not count. The usual number
-- of captions of an image is the most frequent one. Images count as sorted where no caption is longer than the one before
-- it, and one is shorter: their slots are no annotators.
with folded as (
    select
        r.image_no, r.slot, r.split, length(c.text) as size,
        lower(trim(c.text, e' \t\r\n')) as text
    from reference as r
    join caption as c using (caption_id)
),
stepped as (
    select image_no, split, text, size, lag(size) over (partition by image_no order by slot) as size_before
    from folded
),
per_image as (
    select
        image_no, count(*) as captions, count(distinct text) as texts, count(distinct split) as splits,
        bool_and(size_before is null or size <= size_before) and min(size) < max(size) as is_sorted
    from stepped
    group by image_no
),
usual as (select mode(captions) as captions from per_image),
per_text as (
    select text, count(*) as captions, count(distinct image_no) as images
    from folded
    where text <> ''
    group by text
),
image_facts as (
    select
        count(*) filter (where texts < captions) as repeating,
        count(*) filter (where captions <> (select captions from usual)) as unusual,
        count(*) filter (where is_sorted) as in_order,
        count(*) filter (where splits > 1) as torn
    from per_image
),
text_facts as (
    select count(*) filter (where images > 1) as texts, coalesce(sum(captions) filter (where images > 1), 0) as captions
    from per_text
),
listed as (
    select unnest([
        {'position': 1, 'statistic': 'images-repeating-a-caption-but-for-case', 'value': i.repeating},
        {'position': 2, 'statistic': 'texts-on-several-images-but-for-case', 'value': t.texts},
        {'position': 3, 'statistic': 'captions-with-such-texts', 'value': t.captions},
        {'position': 4, 'statistic': 'images-with-another-number-of-captions', 'value': i.unusual},
        {'position': 5, 'statistic': 'images-with-captions-sorted-by-length', 'value': i.in_order},
        {'position': 6, 'statistic': 'images-in-several-splits', 'value': i.torn}
    ], recursive := true)
    from image_facts as i, text_facts as t
)
select statistic, value::double as value
from listed
order by position
