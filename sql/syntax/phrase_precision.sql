-- name: phrase_precision
-- version: 1
-- grain: kind
-- reads: image_phrase, phrase_of_people, evaluated_image
-- returns: class, images, part, whole, part_square, whole_square, product
-- order: kind
-- cites: van Miltenburg et al. 2018, section 5.1: local precision, of phrases in place of words
--
-- The number of phrases for an image, and of those in a human caption of it; totals over images with human captions.
with per_image as (
    select p.kind, p.image, count(*) as whole, count(t.phrase) as part
    from image_phrase as p
    semi join evaluated_image as i on i.image = p.image
    left join phrase_of_people as t on t.image = p.image and t.kind = p.kind and t.phrase = p.phrase
    group by p.kind, p.image
)
select kind || '-precision' as class, count(*) as images, unnest(ratio_sums(part, whole))
from per_image
group by kind
order by kind
