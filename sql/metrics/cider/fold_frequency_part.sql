-- name: fold_frequency_part
-- version: 1
-- grain: fold, n-gram
-- params: first_image UINTEGER, last_image UINTEGER
-- reads: run_item, reference, text_ngram
-- returns: fold, gram, images
-- cites: Vedantam et al. 2015, section 4, eq. 1; cider/pyciderevalcap
--
-- The number of items of each fold, in one bucket of images, with a reference that contains an n-gram: either two
-- captions of the image contain it, or one that is not left out.
with held as (
    select r.image_no, g.gram, count(*) as captions, min(r.slot) as first_slot
    from reference as r
    join text_ngram as g using (caption_id)
    where r.image_no between $first_image::uinteger and $last_image::uinteger
    group by r.image_no, g.gram
)
select i.fold, h.gram, sum(i.items)::uinteger as images
from held as h
join run_item as i on i.image_no = h.image_no and (h.captions > 1 or h.first_slot is distinct from i.held_out)
group by i.fold, h.gram
