-- name: images
-- version: 1
-- grain: image
-- reads: membership
-- returns: dataset, split, image, captions
-- column dataset VARCHAR: The dataset.
-- column split VARCHAR: Split of the image; null without a split.
-- column image VARCHAR: Image, by the id that its source gives it.
-- column captions BIGINT: How many captions it has.
-- example: from images limit 3
--
-- The images of the current versions.
select dataset, min(split) as split, image, count(*) as captions
from main.membership
where to_seq is null
group by dataset, image
