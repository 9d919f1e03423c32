-- name: decoy_limit
-- version: 1
-- grain: one row
-- params: least_bits INTEGER
-- reads: caption_lead, image_likeness
-- returns: badly, apart
--
-- What nine decoys in ten keep to: by how many bits at most a caption speaks for an image that is not its own, and by how
-- many at most, on average, the captions of that image for the one that the decoy fits better. Three times the bits that
-- tell one image from all others are enough against the latter, where few images make few decoys.
select
    quantile_disc(c.stands, 0.9) filter (c.is_decoy) as badly,
    greatest(quantile_disc(k.bits / k.captions, 0.9) filter (c.is_decoy), -3 * $least_bits::integer) as apart
from caption_lead as c
left join image_likeness as k on k.image = c.stands_at and k.other_image = c.other_image
