-- name: word_silence
-- version: 1
-- grain: number of captions, word
-- reads: reference, word_document_share
-- returns: captions, word, share, nats
--
-- What it speaks for an image of so many captions, none of which holds a word, that a caption lacks it too: the natural
-- log of a likelihood ratio, against captions at large. One caption of each image is set aside.
with size as (
    select distinct count(*) - 1 as captions from reference group by image_no
)
select
    z.captions, w.word, w.share,
    ln((z.captions + 1 - w.share) / ((z.captions + 1) * (1 - w.share))) as nats
from size as z
cross join word_document_share as w
