-- name: unsaid_word
-- version: 1
-- grain: image, word of its captions
-- reads: reference, image_word, word_silence
-- returns: image_no, word, holding, nats
--
-- The value of a caption that lacks a word of an image, minus the value if the word were not of the image, in units of
-- 2^-40 nats. The excluded caption of the image lacks the word too, if any caption does.
with described as (select image_no, count(*) - 1 as captions from reference group by image_no)
select
    i.image_no, i.word, i.holding,
    ((
        ln((d.captions - least(i.holding, d.captions) + 1 - a.share) / ((d.captions + 1) * (1 - a.share))) - a.nats
    ) * log_scale())::bigint as nats
from image_word as i
join described as d using (image_no)
join word_silence as a on a.captions = d.captions and a.word = i.word
