-- name: decoy_limit
-- version: 1
-- grain: one row
-- reads: caption_lead, image_likeness
-- returns: badly, apart
--
-- What nine decoys in ten keep to: by how many bits at most a caption speaks for an image that is not its own, and by how
-- many at most, on average, the captions of that image for the one that the decoy fits better.
select
    quantile_disc(c.stands, 0.9) filter (c.is_decoy) as badly,
    quantile_disc(k.bits / k.captions, 0.9) filter (c.is_decoy) as apart
from caption_lead as c
left join image_likeness as k on k.image = c.stands_at and k.other_image = c.other_image
