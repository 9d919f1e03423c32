-- name: captions
-- version: 1
-- grain: caption
-- params: ref VARCHAR
-- reads: resolved, membership, caption
-- returns: dataset, split, image, slot, text
-- column dataset VARCHAR: The dataset.
-- column split VARCHAR: Split of the image; null without a split.
-- column image VARCHAR: Image, by the id that its source gives it.
-- column slot UINTEGER: The caption's position among the captions of its image, from 0.
-- column text VARCHAR: The caption.
-- example: from captions('sample-narrow@v1') limit 3
--
-- The captions of a dataset, of a version or of a split: 'flickr8k', 'flickr8k@v1', 'flickr8k@v1:test'.
select r.dataset, m.split, m.image, m.slot, c.text
from resolved($ref) as r
join main.membership as m
    on m.dataset = r.dataset and m.from_seq <= r.seq and (m.to_seq is null or m.to_seq > r.seq) and (r.split is null or m.split = r.split)
join main.caption as c using (caption_id)
