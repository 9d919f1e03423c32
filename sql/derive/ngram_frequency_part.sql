-- name: ngram_frequency_part
-- version: 1
-- grain: n-gram
-- params: first_image UINTEGER, last_image UINTEGER
-- reads: reference, caption_gram
-- returns: n, gram, occurrences, captions, images
--
-- N-gram frequencies of one bucket of images. Buckets share no image, so that their parts add up.
with per_image as (
    select r.image_no, g.n, g.gram, sum(g.tf) as occurrences, count(*) as captions
    from reference as r
    join caption_gram as g using (caption_id)
    where r.image_no between $first_image::uinteger and $last_image::uinteger
    group by r.image_no, g.n, g.gram
)
select
    n, gram, sum(occurrences)::uinteger as occurrences, sum(captions)::uinteger as captions, count(*)::uinteger as images
from per_image
group by n, gram
