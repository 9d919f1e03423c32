-- name: set_member
-- version: 2
-- grain: set of similar images, image
-- params: seed BIGINT, asked_images INTEGER, set_size INTEGER
-- reads: content
-- returns: image, place, member
-- order: image, place
-- cites: van Miltenburg, Elliott & Vossen 2018, section 5.2: raters compare descriptions of sets of similar images
--
-- Sets of $set_size images with similar captions: the first $asked_images by md5, each with the images that share most
-- of its words. The words of an image are those of a quarter of its captions. A shared word counts 1 / images with
-- it, so common words count little. The first image has place 1. Images with too few similar ones have no set.
with caption_word as (
    select distinct image, slot, unnest(regexp_extract_all(lower(text), '[\p{L}\p{M}]+')) as word
    from content
),
size as (select image, count(*) as captions from content group by image),
image_word as (
    select c.image, c.word
    from caption_word as c
    join size as s on s.image = c.image
    group by c.image, c.word, s.captions
    having 4 * count(*) >= s.captions
),
word as (select word, 1.0 / count(*) as weight from image_word group by word having count(*) between 2 and 1000),
first_image as (
    select image
    from size
    qualify row_number() over (
        order by md5_number(concat_ws(chr(31), 'image', $seed::bigint, image)), image
    ) <= $asked_images::integer
),
likeness as (
    select f.image, o.image as member, sum(w.weight::decimal(18, 9)) as shared
    from first_image as f
    join image_word as i on i.image = f.image
    join word as w on w.word = i.word
    join image_word as o on o.word = i.word and o.image <> i.image
    group by f.image, o.image
),
ranked as (
    select image, member, 1 + row_number() over (partition by image order by shared desc, member) as place
    from likeness
    qualify place <= $set_size::integer
),
whole as (select image from ranked group by image having count(*) = $set_size::integer - 1)
select image, 1 as place, image as member
from whole
union all
select image, place, member
from ranked
semi join whole using (image)
order by image, place
