-- name: decoy_limit
-- version: 1
-- grain: one row
-- params: least_bits INTEGER
-- reads: caption_lead, image_likeness
-- returns: badly, apart
--
-- Limits that nine of ten decoys do not exceed. `badly`: the bits of a caption for an image that is not its own.
-- `apart`: the mean bits of the captions of that image for the image that the decoy fits better, at least
-- -3 * `least_bits`, since few images give few decoys.
select
    quantile_disc(c.stands, 0.9) filter (c.is_decoy) as badly,
    greatest(quantile_disc(k.bits / k.captions, 0.9) filter (c.is_decoy), -3 * $least_bits::integer) as apart
from caption_lead as c
left join image_likeness as k on k.image = c.stands_at and k.other_image = c.other_image
