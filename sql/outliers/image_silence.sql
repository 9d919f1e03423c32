-- name: image_silence
-- version: 1
-- grain: image
-- reads: reference, word_silence, unsaid_word
-- returns: image_no, image, captions, nats
--
-- The value of a caption without words for an image, in units of 2^-40 nats: for all words of the dataset, changed by
-- the words of the image. Sums are of integers. One caption of the image is excluded, also from `captions`.
with described as (
    select image_no, any_value(image) as image, count(*) - 1 as captions from reference group by image_no
),
silence as (select captions, sum((nats * log_scale())::bigint)::bigint as nats from word_silence group by captions),
unsaid as (select image_no, sum(nats)::bigint as nats from unsaid_word group by image_no)
select d.image_no, d.image, d.captions, coalesce(s.nats, 0) + coalesce(u.nats, 0) as nats
from described as d
left join silence as s using (captions)
left join unsaid as u using (image_no)
