-- name: scored_image
-- version: 1
-- grain: image
-- params: first_image UINTEGER, last_image UINTEGER
-- reads: candidate, vector_as_of, learnt_image
-- returns: image, model, vector
-- order: v.image
--
-- Vectors of the selected images in one bucket. `model` is the one that has not seen the image: the model without its
-- fold, or 0, the model of all images, for an image that is not a training image.
select v.image, coalesce(t.fold, 0)::integer as model, v.vector
from vector_as_of as v
semi join (
    select image from candidate where image_no between $first_image::uinteger and $last_image::uinteger
) as c on c.image = v.image
left join learnt_image as t on t.image = v.image
order by v.image
