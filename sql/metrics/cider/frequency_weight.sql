-- name: frequency_weight
-- version: 1
-- grain: document frequency
-- reads: reference, collection
-- returns: images, idf, square_high, square_low
-- order: images
-- cites: Vedantam et al. 2015, section 4, eq. 1; cider/pyciderevalcap: natural logarithm, df at least 1
--
-- The idf of each document frequency from 1 to the number of images, and its square in units of 2^-70 as in idf_square,
-- in two parts that fit in 64 bits: multiples of 2^40, and the rest.
with last_image as (select max(image_no) as images from reference),
frequency as (select unnest(range(1, images + 1))::uinteger as images from last_image),
weighed as (
    select
        f.images,
        i.log_documents - ln(f.images) as idf,
        (power(i.log_documents - ln(f.images), 2) * square_scale())::hugeint as square
    from frequency as f
    cross join collection as i
)
select
    images,
    idf,
    (square >> 40::hugeint)::bigint as square_high,
    (square & 1099511627775::hugeint)::bigint as square_low
from weighed
order by images
