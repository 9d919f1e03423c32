-- name: word_silence
-- version: 1
-- grain: number of captions, word
-- reads: reference, word_document_share
-- returns: captions, word, share, nats
--
-- The evidence for an image with so many captions, all without a word, if a caption lacks the word too: the natural log
-- of a likelihood ratio, compared with captions in general. One caption of each image is excluded.
with size as (select distinct count(*) - 1 as captions from reference group by image_no)
select z.captions, w.word, w.share, ln((z.captions + 1 - w.share) / ((z.captions + 1) * (1 - w.share))) as nats
from size as z
cross join word_document_share as w
